import type { JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss, mapped } from '../../../protocol/loss.ts'
import type { Request } from '../../../protocol/request.ts'

/** Some fields of a request's body, and the losses of what could not be put into it. */
export interface RequestFields {
  readonly fields: JsonObject
  readonly losses: readonly Loss[]
}

export const NO_FIELDS: RequestFields = { fields: {}, losses: [] }

export const requestFields = (fields: JsonObject): RequestFields => ({ fields, losses: [] })

/** The value is not in the body; `why` is the reason. */
export const droppedField = (path: string, why: string): RequestFields => ({ fields: {}, losses: [dropped(path, why)] })

/** The value is in the body in another form. */
export const mappedField = (fields: JsonObject, path: string, why: string): RequestFields => ({
  fields,
  losses: [mapped(path, why)],
})

/** Merges these fields. A later field overrides an earlier one of the same name. */
export function mergeFields(pieces: readonly RequestFields[]): RequestFields {
  const set = pieces.filter((it) => it !== NO_FIELDS)
  return { fields: Object.assign({}, ...set.map((it) => it.fields)), losses: set.flatMap((it) => it.losses) }
}

/** Stop sequences, in the field that the wire has for them. */
export const stopField = ({ stop }: Request, name: string): RequestFields =>
  stop === null || stop.length === 0 ? NO_FIELDS : requestFields({ [name]: stop })
