import { createHash } from 'node:crypto'

/**
 * Patterns of secrets, each with one difficulty: a prefix, characters that JSON, URLs or HTML escape, or substrings
 * that other masks match.
 */
const SHAPES: readonly ((letters: string) => string)[] = [
  (letters) => `sk-proj-${letters.slice(0, 40)}`,
  (letters) => `AIza${letters.slice(0, 35)}`,
  (letters) => letters.slice(0, 14),
  (letters) => `${letters.slice(0, 10)}+${letters.slice(10, 20)}/${letters.slice(20, 30)}==`,
  (letters) => `${letters.slice(0, 6)}:a@b#c?d&e%41f;g,h~${letters.slice(6, 20)}`,
  (letters) => `${letters.slice(0, 6)}"u\\o'te<x>&amp;%2F${letters.slice(6, 20)}`,
  (letters) => `${letters.slice(0, 7)}:sk-${letters.slice(7, 20)}/${letters.slice(20, 36)}`,
  (letters) => `eyJ${letters.repeat(8).slice(0, 400)}.${letters.slice(0, 30)}-_${letters.slice(30, 40)}`,
  (letters) => `${letters.slice(0, 8)}-${letters.slice(8, 12)}-${letters.slice(12, 16)}-${letters.slice(16, 28)}`,
  (letters) => `AKIA${letters.slice(0, 16).toUpperCase()}`,
]

/** `shape` is an index into the patterns above, modulo their number. */
export function secretOf(label: string, shape: number): string {
  const letters = createHash('sha512').update(label).digest('base64').replace(/[+/=]/g, 'x')
  return SHAPES[shape % SHAPES.length]?.(letters) ?? letters
}

/**
 * Decodings by which a reader could find the secret in a text. They share no code with the functions that hide secrets.
 */
const READS: readonly ((text: string) => string)[] = [
  (text) =>
    text.replace(/\\[ux](?:00)?([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  (text) => text.replace(/\\(["'\\/])/g, '$1'),
  (text) => text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  (text) =>
    text
      .replace(/&#x([0-9a-f]{2});/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
      .replace(
        /&(quot|apos|lt|gt|amp);/g,
        (_, name: string) => ({ quot: '"', apos: "'", lt: '<', gt: '>' })[name] ?? '&',
      ),
]

/** Returns all texts that up to four of these decodings produce. */
function readingsOf(text: string): ReadonlySet<string> {
  const all = new Set([text])
  let news = [text]
  for (let depth = 0; depth < 4; depth += 1) {
    const read = new Set(news.flatMap((one) => READS.map((decode) => decode(one))))
    news = [...read].filter((one) => !all.has(one))
    for (const one of news) all.add(one)
  }
  return all
}

/** The base64 substrings that encode a secret at each of the three possible byte alignments. */
const inBase64 = (secret: string): readonly string[] =>
  [0, 1, 2].flatMap((shift) => {
    const code = Buffer.from(`${'\0'.repeat(shift)}${secret}`)
      .toString('base64')
      .replace(/=+$/, '')
    const middle = code.slice(shift + 2, -2)
    return [middle, middle.replaceAll('+', '-').replaceAll('/', '_')]
  })

/** This many characters from the beginning or the end of a secret count as a leak. */
const PART = 12

const partsOf = (secret: string): readonly string[] =>
  secret.length < 2 * PART ? [secret] : [secret.slice(0, PART), secret.slice(-PART)]

/** Returns the secrets of which a part can be read in a text. */
export function leaksIn(text: string, secrets: readonly string[]): readonly string[] {
  const readings = [...readingsOf(text)]
  return secrets.filter(
    (secret) =>
      partsOf(secret).some((part) => readings.some((reading) => reading.includes(part))) ||
      inBase64(secret).some((form) => text.includes(form)),
  )
}
