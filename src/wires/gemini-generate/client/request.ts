import type { JsonObject } from '../../../protocol/json.ts'
import type { Steps } from '../../../text/steps.ts'
import { exceptWhen, type NamesOf } from '../../../validation/known-fields.ts'
import type { DecodeContext, DecodedRequest } from '../../client-contract.ts'
import {
  createRequestReader,
  keepOwn,
  leaveUnsupported,
  readOutcomeOf,
  rejectField,
} from '../../shared/client/request-reader.ts'
import { createPathMap } from '../../shared/client/source-map.ts'
import { FIELD_PATHS } from '../terms.ts'
import { decodeContents } from './contents.ts'
import {
  fieldNames,
  fieldOf,
  fieldPath,
  has,
  objectIn,
  objectsIn,
  only,
  onlyIn,
  type ReadFields,
  textField,
  wordIn,
} from './fields.ts'
import { decodeConfig } from './generation-config.ts'
import { decodeTools } from './tools.ts'
import { inOwnForm } from './usual-form.ts'

const BODY = fieldNames([
  'model',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'labels',
  'serviceTier',
  'cachedContent',
])

type Body = ReadFields<NamesOf<typeof BODY>>

const RULES = fieldNames(['role', 'parts'])
const RULE = fieldNames(['text'], { thought: { idle: exceptWhen(false) } })

const TIERS: Readonly<Record<string, string | null>> = {
  SERVICE_TIER_UNSPECIFIED: null,
  UNSPECIFIED: null,
  STANDARD: 'default',
  FLEX: 'flex',
  PRIORITY: 'priority',
}

/** Decodes a `generateContent` request into a Responses request. Errors name the fields of the client. */
export function* decodeRequest(body: JsonObject, context: DecodeContext): Steps<DecodedRequest> {
  const notes = createRequestReader(context)
  const fields = only({ record: inOwnForm(body), path: '', notes }, BODY)
  refuseCache(fields)
  const config = decodeConfig(fields)
  const model = modelOf(fields, context)
  const { items, itemPaths, partPaths } = yield* decodeContents(fields, context)
  const { fields: tools, toolPaths, fieldPaths: chosen } = decodeTools(fields)
  const decoded: JsonObject = {
    model,
    input: items,
    stream: context.stream ?? false,
    ...instructionsOf(fields),
    ...tools,
    ...config.fields,
    ...labelsOf(fields),
    ...tierOf(fields),
  }
  for (const name of ['labels', 'serviceTier'] as const) if (has(fields, name)) keepOwn(notes, fieldPath(fields, name))
  const { stop, settings } = config
  const fieldPaths = {
    instructions: fieldPath(fields, 'systemInstruction'),
    metadata: fieldPath(fields, 'labels'),
    service_tier: fieldPath(fields, 'serviceTier'),
    ...chosen,
    ...config.fieldPaths,
  }
  return {
    body: decoded,
    toClientPath: createPathMap(FIELD_PATHS, { itemPaths, partPaths, toolPaths, fieldPaths }),
    partPaths,
    stop,
    settings,
    losses: notes.losses,
    unsupported: notes.unsupported,
    required: notes.required,
    ...readOutcomeOf(notes),
  }
}

/** Rejects `cachedContent`: the content is stored at Google, and the request has another meaning without it. */
function refuseCache(fields: Body): void {
  if ((textField(fields, 'cachedContent') ?? '') === '') return
  rejectField(
    fields.notes,
    fieldPath(fields, 'cachedContent'),
    'this service does not cache content; send the whole content',
  )
}

function modelOf(fields: Body, { model }: DecodeContext): string {
  const named = model ?? textField(fields, 'model') ?? ''
  if (named === '') rejectField(fields.notes, 'model', 'expected the name of a model')
  return named.replace(/^models\//, '')
}

/** Joins the texts of the system instruction. Its role has no meaning. */
function instructionsOf(fields: Body): JsonObject {
  const text = fieldOf(fields, 'systemInstruction')
  if (typeof text === 'string') return text === '' ? {} : { instructions: text }
  const found = onlyIn(fields, 'systemInstruction', RULES)
  const parts = found === null ? [] : objectsIn(found, 'parts')
  const texts = parts.flatMap((part) => {
    const text = textField(part, 'text')
    if (text === null) leaveUnsupported(fields.notes, part.path, 'only text is supported in instructions')
    else only(part, RULE)
    return text === null || text === '' ? [] : [text]
  })
  return texts.length === 0 ? {} : { instructions: texts.join('\n\n') }
}

const MOST_LABELS = 16
const LONGEST_KEY = 64
const LONGEST_LABEL = 512

function labelsOf(fields: Body): JsonObject {
  const labels = objectIn(fields, 'labels')
  if (labels === null) return {}
  const pairs = Object.keys(labels.record).map((name) => [name, textField(labels, name) ?? ''] as const)
  const fits = ([name, value]: readonly [string, string]): boolean =>
    name.length <= LONGEST_KEY && value.length <= LONGEST_LABEL
  if (pairs.length <= MOST_LABELS && pairs.every(fits)) return { metadata: Object.fromEntries(pairs) }
  leaveUnsupported(
    fields.notes,
    labels.path,
    `expected at most ${MOST_LABELS} pairs, with at most ${LONGEST_KEY} and ${LONGEST_LABEL} characters`,
  )
  return {}
}

function tierOf(fields: Body): JsonObject {
  const tier = wordIn(fields, 'serviceTier', TIERS)
  return tier === null ? {} : { service_tier: tier }
}
