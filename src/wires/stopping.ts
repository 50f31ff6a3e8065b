import type { Request } from '../protocol/request.ts'
import { NO_PIECE, type Piece, piece } from './piece.ts'

/** Stop sequences, in the field that the wire has for them. */
export const stopping = ({ stop }: Request, name: string): Piece =>
  stop === null || stop.length === 0 ? NO_PIECE : piece({ [name]: stop })
