"""The wheel; cmake/wheel.sh puts libperfmodel.so into the package first."""

import os

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel


class BinaryWheel(bdist_wheel):
    """One wheel for every Python 3: the library is loaded by ctypes, not linked to Python."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class BinaryDistribution(Distribution):
    """Has a library of the platform, although setuptools does not compile it."""

    def has_ext_modules(self):
        return True


setup(
    distclass=BinaryDistribution,
    name="perfmodel",
    version=os.environ["PERFMODEL_VERSION"],
    description="Performance models of deep-learning training times",
    license="MIT",
    packages=["perfmodel"],
    package_data={"perfmodel": ["libperfmodel.so", "py.typed"]},
    python_requires=">=3.8",
    install_requires=["numpy"],
    cmdclass={"bdist_wheel": BinaryWheel},
)
