import type { JsonObject } from '../../../protocol/json.ts'
import { finish, type Steps } from '../../../text/steps.ts'
import { type NamesOf, unless } from '../../../validation/unknown-fields.ts'
import type { Asking, Client, Decoded } from '../../client-contract.ts'
import { lose } from '../../shared/client/request-reader.ts'
import { decodeContents } from './contents.ts'
import { decodeConfig } from './generation-config.ts'
import {
  either,
  type Fields,
  type Notes,
  objectIn,
  objectsIn,
  only,
  onlyIn,
  placeOf,
  textIn,
  wordIn,
  wrong,
} from './reader.ts'
import { decodeTools } from './tools.ts'

const BODY = either([
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

type Body = Fields<NamesOf<typeof BODY>>

const RULES = either(['role', 'parts'])
const RULE = either(['text'], { thought: { idle: unless(false) } })

const TIERS: Readonly<Record<string, string | null>> = {
  SERVICE_TIER_UNSPECIFIED: null,
  UNSPECIFIED: null,
  STANDARD: 'default',
  FLEX: 'flex',
  PRIORITY: 'priority',
}

/** Decodes a `generateContent` request into a Responses request. Errors name the fields of the client. */
export const decodeRequest: Client['decodeRequest'] = (body, asking) => finish(decodeSteps(body, asking))

export function* decodeSteps(body: JsonObject, asking: Asking): Steps<Decoded> {
  const notes: Notes = { losses: [], problems: [] }
  const fields = only({ bag: body, place: '', notes }, BODY)
  refuseCache(fields)
  const config = decodeConfig(fields)
  const model = modelOf(fields, asking)
  const { items, itemPlaces } = yield* decodeContents(fields, asking)
  const { fields: tools, toolPlaces, fieldPlaces: chosen } = decodeTools(fields)
  const decoded: JsonObject = {
    model,
    input: items,
    stream: asking.stream ?? false,
    ...instructionsOf(fields),
    ...tools,
    ...config.fields,
    ...labelsOf(fields),
    ...tierOf(fields),
  }
  const [error] = notes.problems
  if (error !== undefined) return { ok: false, error }
  const { stop, settings } = config
  const fieldPlaces = {
    instructions: placeOf(fields, 'systemInstruction'),
    metadata: placeOf(fields, 'labels'),
    service_tier: placeOf(fields, 'serviceTier'),
    ...chosen,
    ...config.fieldPlaces,
  }
  return { ok: true, body: decoded, itemPlaces, toolPlaces, fieldPlaces, stop, settings, losses: notes.losses }
}

/** Rejects `cachedContent`: the content is stored at Google, and the request has another meaning without it. */
function refuseCache(fields: Body): void {
  if ((textIn(fields, 'cachedContent') ?? '') === '') return
  wrong(fields.notes, placeOf(fields, 'cachedContent'), 'nothing is cached here; send the whole content')
}

function modelOf(fields: Body, { model }: Asking): string {
  const named = model ?? textIn(fields, 'model') ?? ''
  if (named === '') wrong(fields.notes, 'model', 'expected the name of a model')
  return named.replace(/^models\//, '')
}

/** Joins the texts of the system instruction. Its role has no meaning. */
function instructionsOf(fields: Body): JsonObject {
  const found = onlyIn(fields, 'systemInstruction', RULES)
  const parts = found === null ? [] : objectsIn(found, 'parts')
  const texts = parts.flatMap((part) => {
    const text = textIn(part, 'text')
    if (text === null) lose(fields.notes, part.place, 'instructions are text only')
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
  const pairs = Object.keys(labels.bag).map((name) => [name, textIn(labels, name) ?? ''] as const)
  const fits = ([name, value]: readonly [string, string]): boolean =>
    name.length <= LONGEST_KEY && value.length <= LONGEST_LABEL
  if (pairs.length <= MOST_LABELS && pairs.every(fits)) return { metadata: Object.fromEntries(pairs) }
  lose(fields.notes, labels.place, `metadata has at most ${MOST_LABELS} pairs, of ${LONGEST_KEY} and ${LONGEST_LABEL}`)
  return {}
}

function tierOf(fields: Body): JsonObject {
  const tier = wordIn(fields, 'serviceTier', TIERS)
  return tier === null ? {} : { service_tier: tier }
}
