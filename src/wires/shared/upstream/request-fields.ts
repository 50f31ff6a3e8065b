import type { JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss, mapped } from '../../../protocol/loss.ts'
import type { Request } from '../../../protocol/request.ts'

/** Some fields of a request's body, and the losses of what could not be put into it. */
export interface Piece {
  readonly fields: JsonObject
  readonly losses: readonly Loss[]
}

export const NO_PIECE: Piece = { fields: {}, losses: [] }

export const piece = (fields: JsonObject): Piece => ({ fields, losses: [] })

/** The value is not in the body; `why` is the reason. */
export const lost = (path: string, why: string): Piece => ({ fields: {}, losses: [dropped(path, why)] })

/** The value is in the body in another form. */
export const bent = (fields: JsonObject, path: string, why: string): Piece => ({ fields, losses: [mapped(path, why)] })

/** Merges these fields. A later field overrides an earlier one of the same name. */
export const joinPieces = (pieces: readonly Piece[]): Piece => ({
  fields: Object.assign({}, ...pieces.map((it) => it.fields)),
  losses: pieces.flatMap((it) => it.losses),
})

/** Stop sequences, in the field that the wire has for them. */
export const stopping = ({ stop }: Request, name: string): Piece =>
  stop === null || stop.length === 0 ? NO_PIECE : piece({ [name]: stop })
