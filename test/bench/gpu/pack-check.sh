#!/usr/bin/env bash
# Packs the files that `npm run check:gpu` looks at here, for a machine with a GPU that has neither Node nor a browser nor a network:
#   bash test/bench/gpu/pack-check.sh FOLDER [megabytes of a part]
# there, as root, with the parts of FOLDER beside each other:
#   cat check.tar.xz.* | tar -xJ -C / && bash /opt/gpu-check/run.sh [--minutes 9] [--out FILE]
# They are recorded while the check runs on a GPU in software, so strace has to be here, and Debian's Chromium.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
folder=$(mkdir -p "$1" && cd "$1" && pwd)
place=/opt/gpu-check
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$root"
# Copies of models that are made there again, and what Vite builds.
rm -rf node_modules/.cache/inpage-bench
# Without drivers of this machine, which bring compilers of their own.
export VK_ICD_FILENAMES=/usr/lib/chromium/vk_swiftshader_icd.json
strace -f -qq -z -s 4096 -e trace=%file -o "$work/calls" \
  node .ci/run-ts.mjs test/bench/gpu/check-gpu.ts --minutes 40 --out "$work/check.txt" || [ -s "$work/check.txt" ]
# Names relative to the folder that a process is in are of this repository.
grep -oP '(?<=")[^"]+(?=")' "$work/calls" | sed "s|^\([^/]\)|$root/\1|" | sort -u >"$work/names"
while IFS= read -r name; do if [ -f "$name" ]; then realpath -s "$name"; fi; done <"$work/names" | sort -u >"$work/files"

mkdir -p "$work/tree$place/lib" "$work/tree$place/repository"
# The engine's own files, with those that git knows: some are only looked for.
{ git ls-files && grep "^$root/" "$work/files" | sed "s|^$root/||" | grep -v '^node_modules/\.cache/'; } |
  grep -v '^public/models/.*\(clips/\|\.onnx$\)' | sort -u | tar -cf - -T - | tar -xf - -C "$work/tree$place/repository"
# Where they are here; the browser without windows does.
{ command -v node && grep '^/usr/lib/chromium/' "$work/files" | grep -v '/chromium$'; } | tar -cPhf - -T - | tar -xf - -C "$work/tree"
# Libraries of the system, but for those that everything there runs on.
grep '^/\(usr/\)\?lib/.*\.so' "$work/files" | grep -v '^/usr/lib/chromium/' |
  grep -v '/\(ld-linux\|libc\|libm\|libdl\|libpthread\|librt\|libresolv\|libutil\|libstdc++\|libgcc_s\|libnss_[a-z]*\)[.-]' |
  while IFS= read -r library; do cp -L "$library" "$work/tree$place/lib/"; done

cat >"$work/tree$place/run.sh" <<'RUN'
#!/usr/bin/env bash
# Takes libraries from the pack that this machine lacks, and runs the check.
set -uo pipefail
cd "$(dirname "$0")"
mkdir -p lacking
for library in lib/*; do
  ldconfig -p | grep -qF "$(basename "$library") " || cp "$library" lacking/
done
export LD_LIBRARY_PATH="$PWD/lacking:/usr/lib/chromium${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
nvidia=/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json
if [ -z "${VK_DRIVER_FILES-}" ] && [ -e "$nvidia" ] && ! ls /etc/vulkan/icd.d/nvidia* /usr/share/vulkan/icd.d/nvidia* >&/dev/null; then
  export VK_DRIVER_FILES=$nvidia
fi
cd repository && exec node .ci/run-ts.mjs test/bench/gpu/check-gpu.ts "$@"
RUN
tar -cf - -C "$work/tree" . | xz -T0 | split -b "${2:-60}m" - "$folder/check.tar.xz."
du -sh "$work/tree" "$folder"
