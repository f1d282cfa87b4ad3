#!/usr/bin/env python3
"""Writes oracle.json: what scikit-learn's GaussianProcessRegressor says about the runs in it, at
given hyper-parameters. usage: oracle.py > oracle.json"""
import json

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import (ConstantKernel, Hyperparameter, Kernel, Matern,
                                              WhiteKernel)


class Columns(Kernel):
    """Another kernel, on some of the columns."""

    def __init__(self, inner, first, last):
        self.inner, self.first, self.last = inner, first, last

    @property
    def theta(self):
        return self.inner.theta

    @theta.setter
    def theta(self, theta):
        self.inner.theta = theta

    @property
    def hyperparameters(self):
        return self.inner.hyperparameters

    @property
    def bounds(self):
        return self.inner.bounds

    def part(self, x):
        return None if x is None else x[:, self.first:self.last]

    def __call__(self, x, y=None, eval_gradient=False):
        return self.inner(self.part(x), self.part(y), eval_gradient)

    def diag(self, x):
        return self.inner.diag(self.part(x))

    def is_stationary(self):
        return False


class Differs(Kernel):
    """exp(-rate) where two levels differ."""

    def __init__(self, rate=1.0, rate_bounds=(1e-5, 1e5)):
        self.rate, self.rate_bounds = rate, rate_bounds

    @property
    def hyperparameter_rate(self):
        return Hyperparameter("rate", "numeric", self.rate_bounds)

    def __call__(self, x, y=None, eval_gradient=False):
        other = x != (x if y is None else y).T
        k = np.where(other, np.exp(-self.rate), 1.0)
        return (k, (-self.rate * other * k)[:, :, None]) if eval_gradient else k

    def diag(self, x):
        return np.ones(len(x))

    def is_stationary(self):
        return False


random = np.random.default_rng(7)
def grid(values):
    """On the grid to which coordinates are rounded."""
    return np.round(values * 2**20) / 2**20


numbers = grid(random.normal(size=(30, 2)))
numbers[:, 1] = np.round(numbers[:, 1])
levels = np.column_stack([random.integers(0, 3, 30), random.integers(0, 2, 30)])
again = np.r_[np.arange(30), 3, 3, 3, 11, 20]  # some configurations were run several times
numbers, levels = numbers[again], levels[again]
y = (np.sin(2 * numbers[:, 0]) + 0.5 * numbers[:, 1] + 0.3 * levels[:, 0] * levels[:, 1]
     + 0.1 * random.normal(size=len(again)))
y -= np.mean([y[again == i].mean() for i in range(30)])  # over the configurations
asked_numbers = grid(random.normal(size=(6, 2)) * 1.5)
asked_levels = np.column_stack([random.integers(0, 3, 6), random.integers(0, 2, 6)])

hyper = {"inverse_lengths": [0.8, 1.7], "shares": [0.2, 0.6], "rates": [0.5, 0.05],
         "variance": 0.7, "noise": 0.02}
level_variance = 30.0


def whole(x, codes):
    return np.hstack([x, codes])


process = ConstantKernel(hyper["variance"])
for j in range(2):
    shared = ConstantKernel(hyper["shares"][j]) + ConstantKernel(
        1 - hyper["shares"][j]) * Matern(1 / hyper["inverse_lengths"][j], nu=2.5)
    process = process * Columns(shared, j, j + 1)
for j in range(2):
    process = process * Columns(Differs(hyper["rates"][j]), 2 + j, 3 + j)
level = ConstantKernel(level_variance, "fixed")

x, asked = whole(numbers, levels), whole(asked_numbers, asked_levels)
likelihood = GaussianProcessRegressor(process + level + WhiteKernel(hyper["noise"]), alpha=0,
                                      optimizer=None).fit(x, y)
value, slope = likelihood.log_marginal_likelihood(likelihood.kernel_.theta, eval_gradient=True)
# variance, then per number w, 1 - w, ln l, then per column of levels ln rate, noise.
w = hyper["shares"]
slopes = [-slope[3], slope[1] * (1 - w[0]) - slope[2] * w[0],
          -slope[6], slope[4] * (1 - w[1]) - slope[5] * w[1],
          slope[7], slope[8], slope[0], slope[9]]
mean = GaussianProcessRegressor(process + level, alpha=hyper["noise"],
                                optimizer=None).fit(x, y).predict(asked)
# Where the level is known, as predictions have it.
deviation = GaussianProcessRegressor(process, alpha=hyper["noise"],
                                     optimizer=None).fit(x, y).predict(asked, return_std=True)[1]

print(json.dumps({
    "numbers": numbers.tolist(), "levels": levels.tolist(), "y": y.tolist(),
    "asked_numbers": asked_numbers.tolist(), "asked_levels": asked_levels.tolist(),
    **hyper, "level_variance": level_variance,
    "correlations": (process(x[:6], x[6:10]) / hyper["variance"]).tolist(),
    "log_likelihood": value, "slopes": slopes,
    "mean": mean.tolist(), "deviation": deviation.tolist()}, indent=0))
