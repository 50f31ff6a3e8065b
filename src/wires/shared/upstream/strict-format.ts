import type { JsonObject } from '../../../protocol/json.ts'
import type { TextFormat } from '../../../protocol/request.ts'
import { otherMeaning } from '../../absent-members.ts'
import type { UpstreamContext, WireName } from '../../contract.ts'
import type { Quirks } from '../../quirks.ts'
import { mappedField, NO_FIELDS, type RequestFields } from './request-fields.ts'
import { strictWords } from './schemas/close-schema.ts'
import { isStrictSchema } from './schemas/strict-schema.ts'

const OPEN =
  'sent without strict, because OpenAI binds an answer only to closed objects whose properties are all required'

/** Hosts that bind strict schemas accept at most 64 letters, digits, `_` and `-` as the name of one. */
export const formatName = (name: string, { strictSchemas }: Quirks): string =>
  strictSchemas === undefined ? name : name.replace(/[^\w-]/g, '_').slice(0, 64)

/** Servers of closed schemas have fewer words than OpenAI: no bounds of texts, no lists of types. */
const hasStrictWords = (schema: JsonObject, { strictSchemas }: Quirks): boolean =>
  strictSchemas !== 'closed' || strictWords(schema, '', strictSchemas).schema === schema

/**
 * `strict` of a schema for the answer; null if it is left out. The answers of some protocols are always bound to the
 * schema: the one of OpenAI is then strict where it can be.
 */
export function strictOfFormat(
  { strict, schema }: Extract<TextFormat, { readonly type: 'json_schema' }>,
  wire: WireName,
  target: UpstreamContext,
): { readonly strict: boolean | null; readonly loss: RequestFields } {
  if (strict !== null || otherMeaning('formatStrict', wire, target) !== 'compatible') return { strict, loss: NO_FIELDS }
  if (isStrictSchema(schema) && hasStrictWords(schema, target.quirks)) return { strict: true, loss: NO_FIELDS }
  const isLoss = target.quirks.openaiModels === true
  return { strict, loss: isLoss ? mappedField({}, 'text.format.schema', OPEN) : NO_FIELDS }
}
