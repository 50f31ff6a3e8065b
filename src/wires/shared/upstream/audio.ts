import type { Quirks } from '../../quirks.ts'

/** Formats that other vendors accept. A word that is not among them may be one that the upstream has added. */
const FORMATS: ReadonlySet<unknown> = new Set(
  'aac aif aiff amr flac m4a mp3 mp4 mpeg mpga oga ogg opus pcm pcm16 wav weba webm wma'.split(' '),
)

/** Why the upstream refuses audio of this format, as far as is known; null if it does not. */
export const audioRefusal = (format: unknown, { audioFormats }: Quirks): string | null =>
  FORMATS.has(format) && audioFormats?.some((one) => one === format) === false
    ? `this upstream accepts audio only as ${audioFormats.join(' or ')}`
    : null
