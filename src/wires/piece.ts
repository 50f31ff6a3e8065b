import type { JsonObject } from '../protocol/json.ts'
import { dropped, type Loss, mapped } from '../protocol/loss.ts'

/** A piece of a request's body, and what could not be put into it. */
export interface Piece {
  readonly fields: JsonObject
  readonly losses: readonly Loss[]
}

export const NO_PIECE: Piece = { fields: {}, losses: [] }

export const piece = (fields: JsonObject): Piece => ({ fields, losses: [] })

/** Nothing in the body, and the reason. */
export const lost = (path: string, why: string): Piece => ({ fields: {}, losses: [dropped(path, why)] })

/** In the body, but not as it was meant. */
export const bent = (fields: JsonObject, path: string, why: string): Piece => ({ fields, losses: [mapped(path, why)] })

/** All fields of these pieces, a later one before an earlier one of the same name. */
export const joinPieces = (pieces: readonly Piece[]): Piece => ({
  fields: Object.assign({}, ...pieces.map((it) => it.fields)),
  losses: pieces.flatMap((it) => it.losses),
})
