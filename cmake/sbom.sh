#!/bin/sh
# Prints what the programs of VERSION are linked with as SPDX 2.3 (JSON): sbom.sh VERSION. Versions are
# those of Debian's packages on this machine; a library that is missing here is not linked.
set -eu

version=$1
created=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%Y-%m-%dT%H:%M:%SZ)
parts=''
relations=''

part() { # ID PACKAGE LICENCE
    installed=$(dpkg-query -W -f='${Version}' "$2" 2>/dev/null) || return 0
    parts="$parts,
    {\"SPDXID\": \"SPDXRef-$1\", \"name\": \"$1\", \"versionInfo\": \"$installed\",
     \"downloadLocation\": \"NOASSERTION\", \"filesAnalyzed\": false,
     \"licenseConcluded\": \"$3\", \"licenseDeclared\": \"$3\", \"copyrightText\": \"NOASSERTION\",
     \"externalRefs\": [{\"referenceCategory\": \"PACKAGE-MANAGER\", \"referenceType\": \"purl\",
                       \"referenceLocator\": \"pkg:deb/debian/$2@$(echo "$installed" | sed 's/+/%2B/g; s/:/%3A/g')\"}]}"
    relations="$relations,
    {\"spdxElementId\": \"SPDXRef-perfmodel\", \"relationshipType\": \"DEPENDS_ON\",
     \"relatedSpdxElement\": \"SPDXRef-$1\"}"
}

part Eigen libeigen3-dev MPL-2.0
part CLI11 libcli11-dev BSD-3-Clause
part nlohmann-json nlohmann-json3-dev MIT
part spdlog libspdlog-dev MIT
part fmt libfmt-dev MIT
part fast-cpp-csv-parser libfccp-dev BSD-3-Clause
part Nettle nettle-dev 'LGPL-3.0-or-later OR GPL-2.0-or-later'
part zlib zlib1g-dev Zlib
part SQLite libsqlite3-dev blessing
part dlib libdlib-dev BSL-1.0
part libstdcxx libstdc++-12-dev 'GPL-3.0-or-later WITH GCC-exception-3.1'
part libgomp libgomp1 'GPL-3.0-or-later WITH GCC-exception-3.1'
part glibc libc6-dev LGPL-2.1-or-later

cat <<JSON
{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "perfmodel-$version",
  "documentNamespace": "https://spdx.org/spdxdocs/perfmodel-$version",
  "creationInfo": {"created": "$created", "creators": ["Organization: The perfmodel authors"]},
  "packages": [
    {"SPDXID": "SPDXRef-perfmodel", "name": "perfmodel", "versionInfo": "$version",
     "downloadLocation": "NOASSERTION", "filesAnalyzed": false, "licenseConcluded": "MIT",
     "licenseDeclared": "MIT", "copyrightText": "Copyright (c) 2026 The perfmodel authors"}$parts
  ],
  "relationships": [
    {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
     "relatedSpdxElement": "SPDXRef-perfmodel"}$relations
  ]
}
JSON
