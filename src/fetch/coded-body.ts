import { codingOf } from '../gateway/body/content-coding.ts'

/** The bytes of an answer. */
export interface CodedSource {
  read(): Promise<ReadableStreamReadResult<Uint8Array>>
  cancel(): Promise<void>
}

/** The decoder has refused the bytes. */
export class DamagedBody extends Error {}

/** The body has arrived in a coding that neither `fetch` nor a decoder of the platform has decoded. */
export class UndecodedBody extends Error {}

/**
 * Content codings with the first byte of their bodies, and their names for `DecompressionStream`. The header of an answer
 * names its coding whether or not `fetch` has decoded the body, and platforms decode different ones: its first byte
 * shows it, because no JSON, no SSE and no event stream begins with one of these. null: every platform decodes it, and
 * its bodies have no mark.
 */
const MARKS: ReadonlyMap<string, readonly [first: number, format: string] | null> = new Map([
  ['gzip', [0x1f, 'gzip']],
  ['x-gzip', [0x1f, 'gzip']],
  ['deflate', [0x78, 'deflate']],
  ['zstd', [0x28, 'zstd']],
  ['br', null],
])

/**
 * Whether the bytes of a body of this coding are read decoded. `fetch` of Node 24 decodes zstd, for which Node has no
 * `DecompressionStream`: a body that proves to be coded all the same fails as an `UndecodedBody`.
 */
export const isDecodable = (encoding: string | undefined): boolean => MARKS.has(codingOf(encoding))

export function openBody({ body, headers }: Response): CodedSource | null {
  if (body === null) return null
  const mark = MARKS.get(codingOf(headers.get('content-encoding') ?? undefined)) ?? null
  return mark === null ? body.getReader() : new CodedBody(body.getReader(), ...mark)
}

/** Null if the platform does not have the format. */
function createDecoder(format: string): DecompressionStream | null {
  try {
    return new DecompressionStream(format as CompressionFormat)
  } catch {
    return null
  }
}

/** A body that is decoded if its first byte shows that the platform has not done it. */
class CodedBody implements CodedSource {
  private readonly raw: ReadableStreamDefaultReader<Uint8Array>
  private readonly first: number
  private readonly format: string
  private decoded: ReadableStreamDefaultReader<Uint8Array> | null = null
  private isPlain = false
  /** The failure of the connection, which the decoder would hide. */
  private failure: unknown = null

  constructor(raw: ReadableStreamDefaultReader<Uint8Array>, first: number, format: string) {
    this.raw = raw
    this.first = first
    this.format = format
  }

  async read(): Promise<ReadableStreamReadResult<Uint8Array>> {
    if (this.isPlain) return this.raw.read()
    if (this.decoded === null) {
      const beginning = await this.raw.read()
      this.isPlain = beginning.done || beginning.value[0] !== this.first
      if (this.isPlain || beginning.value === undefined) return beginning
      const decoder = createDecoder(this.format)
      if (decoder === null) {
        await this.raw.cancel()
        throw new UndecodedBody()
      }
      this.decoded = decoder.readable.getReader()
      void this.feed(decoder.writable.getWriter(), beginning.value)
    }
    try {
      return await this.decoded.read()
    } catch {
      throw this.failure ?? new DamagedBody()
    }
  }

  async cancel(): Promise<void> {
    await this.raw.cancel()
  }

  private async feed(writer: WritableStreamDefaultWriter<BufferSource>, beginning: Uint8Array): Promise<void> {
    try {
      for (let bytes: Uint8Array | undefined = beginning; bytes !== undefined; ) {
        await writer.write(bytes as Uint8Array<ArrayBuffer>)
        const { done, value }: { readonly done: boolean; readonly value?: Uint8Array | undefined } = await this.raw
          .read()
          .catch((error: unknown) => {
            this.failure = error
            throw error
          })
        bytes = done ? undefined : value
      }
      await writer.close()
    } catch (error) {
      await writer.abort(error).catch(() => undefined)
    }
  }
}
