# SPDX-License-Identifier: BSD-3-Clause
# Manual pages, completion, and the Debian package in a plain root file system. Usage: install_test.sh REBER SOURCE
. "$(dirname "$0")/harness.sh"
build=$(dirname "$(dirname "$reber")")

mkdir pages
what="pages"
for command in '' $(grep -oP '^  \K[a-z]+(?=  )' <("$reber" --help | sed -n '/^Sub-commands/,/^Examples/p')); do
  # shellcheck disable=SC2086
  run describe $command --as man
  expect_status 0
  cp out "pages/reber${command:+-$command}.1"
  expect_in out ".SH NAME" ".SH SYNOPSIS"
done
checks=$((checks + 1))
[ "$(find pages | wc -l)" -gt 15 ] || report "expected a page for each command"
expect_in pages/reber-find.1 '\fB\-\-threshold' '\fB\-\-columns\fR \fIpybdsf|srl|gaul'
if command -v groff >/dev/null; then
  for page in pages/*; do
    groff -man -Tascii -ww "$page" 2>&1 >text | grep -v "can't break line\|cannot adjust line\|cannot break line" >warned
    what="groff $page"
    expect_empty warned
  done
fi

# Every option that help shows is completed, and words after an option that takes words.
run describe --as bash
expect_status 0
cp out reber.bash
complete_with() {  # WORDS... -> what bash would offer for the last
  bash -c '. ./reber.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _reber; echo "${COMPREPLY[*]}"' - "$@" >out
  what="complete $*"
}
complete_with reber fi
expect_in out find
complete_with reber find --fit ''
expect_in out "auto moments gaussian"
complete_with reber find --quiet --thr
expect_in out --threshold --threads
complete_with reber --ver
expect_in out --version
complete_with reber find -
cp out offered
what="options of find"
for option in $("$reber" find --help-all | grep -oP '^  (-\w, )?\K--[a-z-]+'); do
  expect_in offered "$option"
done
run describe --as zsh
expect_in out "#compdef reber" "--threshold["
if command -v zsh >/dev/null; then
  checks=$((checks + 1))
  zsh -n out || report "zsh cannot read it"
fi
run describe --as fish
expect_in out "-l threshold"
if command -v fish >/dev/null; then
  checks=$((checks + 1))
  fish -n out || report "fish cannot read it"
fi
run describe find --as bash
expect_status 2
run describe
expect_status 2

# The package of the build, unpacked into a root of its own.
if [ -e "$build/app/pages/reber.bash" ] && [ -e "$build/CPackConfig.cmake" ] && command -v dpkg-shlibdeps >/dev/null; then
  what="cmake --install"
  checks=$((checks + 1))
  cmake --install "$build" --prefix "$PWD/prefix" >out 2>err || report "cannot install"
  expect_file prefix/bin/reber prefix/share/man/man1/reber-find.1 prefix/share/reber/shims/BANE
  what="cpack"
  checks=$((checks + 1))
  cpack -G DEB --config "$build/CPackConfig.cmake" -B deb >out 2>err || report "no package"
  package=$(find deb -maxdepth 1 -name 'reber_*.deb')
  dpkg-deb -f "$package" Depends >depends
  what="the package"
  expect_in depends libwcs libc6 libcairo2 libopencv-imgproc
  dpkg-deb -x "$package" root
  # CFITSIO is another package or, without its network, a part of the program, and then its terms are here.
  if grep -q '^REBER_CFITSIO_WITHOUT_NETWORK.*=1' "$build/CMakeCache.txt"; then
    expect_not_in depends libcfitsio curl
    expect_file root/usr/share/doc/reber/copyright.cfitsio
  else
    expect_in depends libcfitsio
  fi
  for file in bin/reber share/man/man1/reber-find.1.gz share/doc/reber/changelog.gz share/doc/reber/changelog.Debian.gz \
    share/reber/galactic_plane_150mhz.fits share/bash-completion/completions/reber share/doc/reber/copyright \
    share/zsh/site-functions/_reber lib/reber/libreber_drawing.so share/fish/vendor_completions.d/reber.fish share/reber/shims/aegean; do
    checks=$((checks + 1))
    [ -s "root/usr/$file" ] || report "expected usr/$file in the package"
  done
  checks=$((checks + 1))
  [ ! -e root/usr/reber ] || report "expected no Python module in the package"
  checks=$((checks + 1))
  [ -z "$(find root -perm /022 ! -type l)" ] || report "expected no file that others may write"
  checks=$((checks + 1))
  [ "$(dpkg-deb -f "$package" Version)" = "$(sed -n 's/^project(reber VERSION \([0-9.]*\).*/\1-1/p' "$source_folder/CMakeLists.txt")" ] \
    || report "expected the program's version"
  if command -v lintian >/dev/null; then
    what="lintian"
    # The maintainer's address is no address, and no bug of Debian's asked for the package. CPack has ldconfig called
    # wherever a package has shared objects, modules as well.
    lintian --allow-root --suppress-tags \
      bogus-mail-host,bogus-mail-host-in-debian-changelog,initial-upload-closes-no-bugs,maintscript-calls-ldconfig \
      "$package" >told 2>&1
    expect_empty told
  fi
  reber=$PWD/root/usr/bin/reber
  run find root/usr/share/reber/galactic_plane_150mhz.fits -o catalogue.csv --quiet
  expect_status 0
else
  echo "the Debian package is not tested: the build is not whole, or dpkg-dev is not here"
fi
finish
