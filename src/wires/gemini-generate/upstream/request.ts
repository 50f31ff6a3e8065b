import type { JsonObject } from '../../../protocol/json.ts'
import { NO_TIER } from '../../../protocol/loss.ts'
import type { Request } from '../../../protocol/request.ts'
import type { Steps } from '../../../text/steps.ts'
import type { Encoded, UpstreamContext, Wire } from '../../contract.ts'
import { formatSchema } from '../../shared/google/requests.ts'
import { factsOf } from '../../shared/upstream/model-facts.ts'
import { isEmptyConversation, NO_MESSAGES } from '../../shared/upstream/no-messages.ts'
import {
  droppedField,
  mappedField,
  mergeFields,
  NO_FIELDS,
  type RequestFields,
  requestFields,
  stopField,
} from '../../shared/upstream/request-fields.ts'
import { dropIncludes, dropUnsupported } from '../../shared/upstream/unsupported.ts'
import { modelPath } from '../model-path.ts'
import { encodeContents } from './contents.ts'
import { encodeReasoning } from './reasoning-config.ts'
import { encodeTools } from './tools.ts'

/** Fields of a Responses request → their names in `generationConfig`. */
const SAME = {
  max_output_tokens: 'maxOutputTokens',
  temperature: 'temperature',
  top_p: 'topP',
} as const

type SameName = keyof typeof SAME

const sampling = (request: Request): RequestFields =>
  requestFields(
    Object.fromEntries(
      (Object.keys(SAME) as SameName[]).flatMap((name) =>
        request[name] === null ? [] : [[SAME[name], request[name]]],
      ),
    ),
  )

/** Google documents the maximum of a penalty as "up to, but not including, 2". */
const MOST = 1.99

const penalties = (request: Request): readonly RequestFields[] =>
  (['presence', 'frequency'] as const).map((what) => {
    const value = request[`${what}_penalty`]
    if (value === null) return NO_FIELDS
    const name = `${what}Penalty`
    return value < 2
      ? requestFields({ [name]: value })
      : mappedField({ [name]: MOST }, `${what}_penalty`, `lowered to ${MOST}, the maximum of this upstream`)
  })

function format({ text }: Request): RequestFields {
  const wanted = text?.format ?? null
  if (wanted === null || wanted.type === 'text') return NO_FIELDS
  const responseMimeType = 'application/json'
  if (wanted.type === 'json_object') return requestFields({ responseMimeType })
  return formatSchema(wanted, (responseJsonSchema) => ({ responseMimeType, responseJsonSchema }))
}

function logprobs({ top_logprobs, include }: Request): RequestFields {
  const most = top_logprobs ?? 0
  if (most === 0 && !include.includes('message.output_text.logprobs')) return NO_FIELDS
  return requestFields({ responseLogprobs: true, ...(most === 0 ? {} : { logprobs: most }) })
}

/** Fields of a request for which `generateContent` has no counterpart. */
const UNKNOWN = [
  'max_tool_calls',
  'metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'x_search_filter',
  'truncation',
  'text.verbosity',
  'plugins',
] as const

const TIERS: readonly string[] = ['flex', 'priority']

/** The usual tier needs no field. */
function tier({ service_tier: wanted }: Request): RequestFields {
  if (wanted === null || wanted === 'auto' || wanted === 'default') return NO_FIELDS
  return TIERS.includes(wanted) ? requestFields({ serviceTier: wanted }) : droppedField('service_tier', NO_TIER)
}

export const address: Wire['address'] = (_, stream, { model }) => {
  const name = modelPath(model)
  return name === null ? null : { path: `/${name}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}` }
}

/** Encodes a Responses request for `generateContent` (docs/wires/gemini-generate.md, 9.1 to 9.5). */
export function* encodeRequest(request: Request, target: UpstreamContext): Steps<Encoded> {
  const facts = factsOf(target, 'gemini-generate')
  const tools = encodeTools(request, facts, target.origins)
  if (!tools.ok) return tools
  const contents = yield* encodeContents(request, target, facts)
  if (!contents.ok) return contents
  if (isEmptyConversation(contents.fields.contents)) return NO_MESSAGES
  const { fields, losses } = mergeFields([
    sampling(request),
    ...penalties(request),
    stopField(request, 'stopSequences'),
    format(request),
    logprobs(request),
    encodeReasoning(request, facts),
  ])
  const served = tier(request)
  const config: JsonObject = Object.keys(fields).length === 0 ? {} : { generationConfig: fields }
  return {
    ok: true,
    // Not into `{}`: where an object has begun with many names, V8 makes a hidden class for each one that begins empty.
    body: Object.assign(contents.fields, tools.fields, config, served.fields),
    losses: [
      ...served.losses,
      ...contents.losses,
      ...tools.losses,
      ...losses,
      ...dropUnsupported(request, UNKNOWN, 'generateContent has no equivalent'),
      // Answers always have the outputs of code.
      ...dropIncludes(request, 'generateContent has no equivalent', ['code_interpreter_call.outputs']),
    ],
  }
}
