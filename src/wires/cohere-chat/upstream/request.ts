import type { Json } from '../../../protocol/json.ts'
import type { Request, TextFormat } from '../../../protocol/request.ts'
import { finish, type Steps } from '../../../text/steps.ts'
import type { Encoded, Target, Wire } from '../../contract.ts'
import { logprobsPlace } from '../../shared/upstream/logprobs.ts'
import { bent, joinPieces, lost, NO_PIECE, type Piece, piece, stopping } from '../../shared/upstream/request-fields.ts'
import { unmet } from '../../shared/upstream/unsupported.ts'
import { encodeMessages } from './messages.ts'
import { traitsOf } from './models.ts'
import { encodeEffort } from './reasoning-effort.ts'
import { encodeTools } from './tools.ts'

const UNKNOWN = [
  'max_tool_calls',
  'metadata',
  'parallel_tool_calls',
  'plugins',
  'prompt_cache_key',
  'safety_identifier',
  'service_tier',
  'text.verbosity',
  'truncation',
  'user',
  'x_search_filter',
] as const

/** Fields of a Responses request, with Cohere's name, and the least and the greatest value that Cohere accepts. */
const SAMPLING = [
  ['temperature', 'temperature', 0, Number.POSITIVE_INFINITY],
  ['top_p', 'p', 0.01, 0.99],
  ['presence_penalty', 'presence_penalty', 0, 1],
  ['frequency_penalty', 'frequency_penalty', 0, 1],
] as const

function sampling(request: Request): Piece[] {
  return SAMPLING.map(([ours, name, least, most]) => {
    const value = request[ours]
    if (value === null) return NO_PIECE
    const fit = Math.min(Math.max(value, least), most)
    return fit === value ? piece({ [name]: fit }) : bent({ [name]: fit }, ours, `sent as ${fit}, the nearest it takes`)
  })
}

function encodeFormat(format: TextFormat | null): Piece {
  if (format === null || format.type === 'text') return NO_PIECE
  const type = 'json_object'
  if (format.type === 'json_object') return piece({ response_format: { type } })
  const fields = { response_format: { type, json_schema: format.schema } }
  return format.description === null
    ? piece(fields)
    : bent(fields, 'text.format.description', 'this upstream takes the schema alone')
}

function unsaid(request: Request): Piece[] {
  const { reasoning, top_logprobs, include } = request
  const wantsLogprobs = include.includes('message.output_text.logprobs') || (top_logprobs !== null && top_logprobs > 0)
  return [
    (reasoning?.summary ?? null) === null
      ? NO_PIECE
      : lost('reasoning.summary', 'this upstream gives its thoughts as they are, or none'),
    wantsLogprobs
      ? lost(logprobsPlace(request), 'this upstream gives them without the tokens that they are of')
      : NO_PIECE,
  ]
}

/** Encodes a Responses request as a Cohere chat request (docs/wires/cohere-chat.md, 9.1 to 9.4). */
export const encodeRequest: Wire['encodeRequest'] = (request, target) => finish(encodeSteps(request, target))

export function* encodeSteps(request: Request, { model, quirks }: Target): Steps<Encoded> {
  const traits = traitsOf(model, quirks)
  const tools = encodeTools(request)
  if (!tools.ok) return tools
  const { out, documents, losses: lostInMessages } = yield* encodeMessages(request, traits.thinks)
  const { max_output_tokens: limit, stream } = request
  const { fields, losses } = joinPieces([
    documents.length === 0 ? NO_PIECE : piece({ documents }),
    limit === null ? NO_PIECE : piece({ max_tokens: limit }),
    stopping(request, 'stop_sequences'),
    ...sampling(request),
    encodeEffort(request.reasoning?.effort ?? null, traits, limit),
    encodeFormat(request.text?.format ?? null),
    tools,
    ...unsaid(request),
  ])
  return {
    ok: true,
    path: '/v2/chat',
    // The cast is safe: a `CohereMessage` is plain JSON, but TypeScript does not accept an interface as `Json`.
    body: { model, messages: out as unknown as Json, stream, ...fields },
    losses: [...lostInMessages, ...losses, ...unmet(request, UNKNOWN, 'this upstream has nothing like it')],
  }
}

export const authorize = (key: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${key}` })
