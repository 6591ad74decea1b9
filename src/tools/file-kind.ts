import { extname } from "node:path";

const imageExtensions = new Set([".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".ico"]);

const binaryExtensions = new Set(
  (
    "mp3 mp4 wav avi mov mkv flac ogg webm zip tar gz bz2 xz 7z rar pdf doc docx xls xlsx ppt pptx exe dll so dylib " +
    "o a pyc pyo class wasm bin ttf otf woff woff2 eot db sqlite sqlite3"
  )
    .split(" ")
    .map((name) => `.${name}`),
);

const codeExtensions = new Set(
  (
    "ts tsx js jsx mjs cjs py rb go rs java kt c h cc cpp hpp cs php swift scala lua pl sh bash zsh fish sql css scss " +
    "html vue svelte r jl ex exs erl hs clj dart zig nim"
  )
    .split(" ")
    .map((name) => `.${name}`),
);

export function isImageName(path: string): boolean {
  return imageExtensions.has(extname(path).toLowerCase());
}

export function isBinaryName(path: string): boolean {
  return binaryExtensions.has(extname(path).toLowerCase());
}

/** Source code, where `MAX_TOKENS=100` is a constant and not a secret. */
export function isCodeName(path: string): boolean {
  return codeExtensions.has(extname(path).toLowerCase());
}

/** How many bytes at the start of a file decide whether it is text. */
export const sampleBytes = 1000;

/** More than 30 % of the characters cannot be printed; tab, newline and return can. */
export function isBinarySample(sample: Uint8Array): boolean {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(sample, { stream: true });
  let unprintable = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const isControl = (code < 32 && code !== 9 && code !== 10 && code !== 13) || code === 127;
    if (isControl || code === 0xfffd) unprintable += 1;
  }
  return unprintable > text.length * 0.3;
}
