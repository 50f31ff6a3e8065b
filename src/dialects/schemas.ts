import { STANDARD_SHAPES } from '../conformance/item-schemas.ts'
import {
  type Fields,
  is,
  isCount,
  isEmptyList,
  isList,
  isString,
  optional,
  orNull,
  type Shapes,
} from '../conformance/schema.ts'
import { isObject, isText } from '../text/json.ts'
import type { DialectName } from './dialect.ts'

const RESPONSE: Fields = {
  id: isText,
  object: is('response'),
  created_at: isCount,
  status: isText,
  model: isString,
  output: isList,
  usage: orNull(isObject),
}

const BRIEF: Fields = { id: isText, object: is('response'), status: isText }

/** The objects of docs/description.md, 2.8 and 6. */
const BETA: Shapes = {
  opening: { fields: BRIEF, exact: true },
  closing: { fields: RESPONSE, exact: false },
  recap: { fields: { ...BRIEF, usage: orNull(isObject) }, exact: true },
  usage: { input_tokens: isCount, output_tokens: isCount, total_tokens: isCount },
  added: {
    message: { id: isText, content: isEmptyList },
    function_call: { id: isText, name: isText },
    reasoning: { id: isText },
  },
  otherAdded: null,
  items: {
    message: { id: isText, status: isText, role: is('assistant'), content: isList },
    function_call: { id: isText, call_id: isText, name: isText, arguments: isString },
    reasoning: { id: isText, summary: isList, encrypted_content: isText },
  },
  newParts: {
    message: { output_text: { fields: { type: is('output_text'), text: is('') }, exact: true } },
  },
  // A refusal has no event in this dialect, but the finished message may contain one.
  parts: { message: { output_text: { text: isString, annotations: isList }, refusal: { refusal: isString } } },
  newSummary: isString,
  summary: isString,
  annotations: {
    url_citation: { url: isText, start_index: isCount, end_index: isCount, content: optional(isString) },
  },
  otherAnnotations: false,
  // The document behind `beta` does not show failed or incomplete responses.
  reasons: false,
}

/** The objects of each dialect. */
export const SHAPES = { beta: BETA, openai: STANDARD_SHAPES } satisfies Record<DialectName, Shapes>
