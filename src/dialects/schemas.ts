import { STANDARD_SCHEMAS } from '../conformance/item-schemas.ts'
import {
  type FieldTests,
  is,
  isCount,
  isEmptyList,
  isList,
  isString,
  type ObjectSchemas,
  optionalField,
  orNull,
} from '../conformance/schema.ts'
import { isNonEmptyString, isObject } from '../text/json.ts'
import type { DialectName } from './dialect.ts'

const RESPONSE: FieldTests = {
  id: isNonEmptyString,
  object: is('response'),
  created_at: isCount,
  status: isNonEmptyString,
  model: isString,
  output: isList,
  usage: orNull(isObject),
}

const BRIEF: FieldTests = { id: isNonEmptyString, object: is('response'), status: isNonEmptyString }

/** The objects of docs/description.md, 2.8 and 6. */
const BETA: ObjectSchemas = {
  opening: { fields: BRIEF, exact: true },
  closing: { fields: RESPONSE, exact: false },
  recap: { fields: { ...BRIEF, usage: orNull(isObject) }, exact: true },
  usage: { input_tokens: isCount, output_tokens: isCount, total_tokens: isCount },
  added: {
    message: { id: isNonEmptyString, content: isEmptyList },
    function_call: { id: isNonEmptyString, name: isNonEmptyString },
    reasoning: { id: isNonEmptyString },
  },
  otherAdded: null,
  items: {
    message: { id: isNonEmptyString, status: isNonEmptyString, role: is('assistant'), content: isList },
    function_call: { id: isNonEmptyString, call_id: isNonEmptyString, name: isNonEmptyString, arguments: isString },
    reasoning: { id: isNonEmptyString, summary: isList, encrypted_content: isNonEmptyString },
  },
  newParts: {
    message: { output_text: { fields: { type: is('output_text'), text: is('') }, exact: true } },
  },
  // A refusal has no event in this dialect, but the finished message may contain one.
  parts: { message: { output_text: { text: isString, annotations: isList }, refusal: { refusal: isString } } },
  newSummary: isString,
  summary: isString,
  annotations: {
    url_citation: { url: isNonEmptyString, start_index: isCount, end_index: isCount, content: optionalField(isString) },
  },
  otherAnnotations: false,
  // The document behind `beta` does not show failed or incomplete responses.
  reasons: false,
}

export const SCHEMAS = { beta: BETA, openai: STANDARD_SCHEMAS } satisfies Record<DialectName, ObjectSchemas>
