import { secretFinder } from '../../wires/redact.ts'
import { type MaskedRange, signedRanges } from './signed-addresses.ts'

/** The bytes that are searched at once. */
const SLICE = 64 * 1024

/** The fewest bytes that are kept back, because a secret may continue in the next ones. */
const LEAST_KEPT = 4 * 1024

/** A character may be written as several escapes in one another. */
const LONGEST_ESCAPE = 12

export interface SecretSet {
  /** In no particular order; they may overlap. */
  readonly find: (text: string) => readonly MaskedRange[]
  /** The bytes of a stream within which each of them is complete, also if it is escaped. */
  readonly keep: number
}

/** Text of bytes, one character for each, so that also bytes that are no text stay as they are. */
const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')

/** A secret in a body is in UTF-8, in a header in Latin-1. */
export function toSecretSet(secrets: readonly string[]): SecretSet {
  const forms = [...new Set(secrets.flatMap((secret) => [secret, Buffer.from(secret).toString('latin1')]))]
  const longest = Math.max(0, ...forms.map(({ length }) => length))
  const known = secretFinder(forms)
  const find = (text: string): readonly MaskedRange[] => [
    ...known(text).map(([start, end]) => ({ from: start, start, end })),
    ...signedRanges(text),
  ]
  return { find, keep: Math.max(LEAST_KEPT, LONGEST_ESCAPE * longest) }
}

/** Joins ranges that overlap, in their order. */
function joined(ranges: readonly MaskedRange[]): readonly MaskedRange[] {
  const all: MaskedRange[] = []
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = all.at(-1)
    if (last !== undefined && range.start < last.end)
      all[all.length - 1] = { ...last, from: Math.min(last.from, range.from), end: Math.max(last.end, range.end) }
    else all.push(range)
  }
  return all
}

/** As long as the secret, so that sizes stay true; a number stays a number, so that JSON stays JSON. */
const maskOf = (secret: string): string => (/^\d+$/.test(secret) ? '1' : 'x').repeat(secret.length)

/**
 * Masks secrets in bytes that arrive in pieces, also where pieces divide a secret. The result has the length of the
 * input. At most a slice and the longest secret are in memory.
 */
export class SecretMask {
  private readonly secrets: SecretSet
  private text = ''
  /** The number of masked secrets so far. */
  count = 0

  constructor(secrets: SecretSet) {
    this.secrets = secrets
  }

  /** Returns the bytes that are final. */
  push(bytes: Uint8Array): Uint8Array {
    this.text += latin1(bytes)
    const { keep } = this.secrets
    return this.text.length < SLICE + keep ? new Uint8Array(0) : this.take(this.text.length - keep)
  }

  /** Returns the last bytes. A secret that is cut at the end is masked as well. */
  end(): Uint8Array {
    return this.take(this.text.length)
  }

  private take(wanted: number): Uint8Array {
    const { text } = this
    const ranges = joined(this.secrets.find(text))
    // A secret that continues after the end stays in the rest, unless the rest would be everything.
    const across = ranges.find(({ from, end }) => from < wanted && end > wanted)
    const cut = across === undefined ? wanted : across.from > 0 ? across.from : across.end
    const pieces: string[] = []
    let at = 0
    for (const { start, end } of ranges) {
      if (start >= cut) break
      pieces.push(text.slice(at, start), maskOf(text.slice(start, end)))
      at = end
      this.count += 1
    }
    pieces.push(text.slice(at, cut))
    this.text = text.slice(cut)
    return Buffer.from(pieces.join(''), 'latin1')
  }
}

export function maskText(text: string, secrets: SecretSet): string {
  const mask = new SecretMask(secrets)
  const first = mask.push(Buffer.from(text))
  return Buffer.concat([first, mask.end()]).toString()
}
