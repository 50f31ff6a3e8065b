import type { Transform } from 'node:stream'
import zlib from 'node:zlib'

/** Node has it since 22.15. */
const { createZstdDecompress: openZstd } = zlib as { readonly createZstdDecompress?: () => Transform }

/** Decoders of content codings. `isCut`: the end of a cut body is decoded as far as it came, instead of being an error. */
const DECODERS: Readonly<Record<string, (isCut: boolean) => Transform>> = {
  gzip: (isCut) => zlib.createGunzip(isCut ? CUT : {}),
  'x-gzip': (isCut) => zlib.createGunzip(isCut ? CUT : {}),
  deflate: (isCut) => zlib.createInflate(isCut ? CUT : {}),
  br: (isCut) => zlib.createBrotliDecompress(isCut ? { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH } : {}),
  ...(openZstd === undefined ? {} : { zstd: () => openZstd() }),
}

const CUT = { finishFlush: zlib.constants.Z_SYNC_FLUSH }

/** The content codings that this version of Node decodes. */
export const CODINGS: readonly string[] = Object.keys(DECODERS)

/** Returns a decoder of this coding; null if there is none. */
export const createDecoder = (coding: string, isCut = false): Transform | null =>
  Object.hasOwn(DECODERS, coding) ? (DECODERS[coding]?.(isCut) ?? null) : null
