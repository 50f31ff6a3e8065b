import { beta } from '../../dialects/beta.ts'
import type { Dialect, DialectName } from '../../dialects/dialect.ts'
import { dialectFor } from '../../dialects/for-request.ts'
import { openai, openaiReasoningText } from '../../dialects/openai.ts'
import { DIALECTS } from '../../dialects/registry.ts'
import { type ClientRequest, readClientRequest, type SealContext } from '../../engine/client-request.ts'
import { compactedTarget, toCompactRequest } from '../../engine/compaction/compacted-target.ts'
import { dialectTarget, type Target } from '../../engine/target.ts'
import { clientError, type GatewayError } from '../../protocol/error.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import { lookup } from '../../text/lookup.ts'
import type { Steps } from '../../text/steps.ts'
import { describeValue, oneOf } from '../../validation/messages.ts'
import type { ClientErrorBody } from '../../wires/client-contract.ts'
import { RESPONSES_WIRE } from '../../wires/contract.ts'
import type { ClientCounts } from '../../wires/count-contract.ts'
import { bearerOf } from '../auth/auth.ts'
import type { Mount } from '../config/config.ts'
import type { RequestHead } from '../exchange/http-types.ts'
import { type RequestContext, responsesError } from '../exchange/request-context.ts'

/** One client API: where its clients send their key, how their requests are read and answered, and its error format. */
export interface ClientApi {
  /** Where its clients send their key; quoted if the key is missing. */
  readonly keyPath: string
  /** The header in which its clients expect the id of a request, besides `x-request-id`. */
  readonly idHeader: string | null
  /** Whether its clients may leave out the content type of their bodies. */
  readonly isTypeOptional: boolean
  keyOf(request: RequestHead): string | undefined
  errorBody(error: GatewayError, requestId: string): ClientErrorBody
  /** Chooses how this request is read and answered. The key is already valid. */
  open(context: RequestContext): Result<RequestCodec>
}

export interface RequestCodec {
  /** The name in the log. */
  readonly name: string
  /** The wire whose client side this is. */
  readonly wire: string
  /** Returns the model if reading the request depends on its upstream; else null. */
  modelOf(body: unknown): string | null
  /**
   * Reads the request in slices. `sealing`: null if the upstream is not known yet. `isFragment`: it may be a part of a
   * conversation.
   */
  read(body: unknown, sealing: SealContext | null, isFragment?: boolean): Steps<Result<ClientRequest>>
  target(request: ClientRequest): Target
}

/** How clients of the Responses API request a count of tokens. */
export const RESPONSES_COUNTS: ClientCounts = {
  // `input` is optional here (OpenAI API reference, get input token counts).
  read: (body) => ({ request: 'input' in body ? body : { ...body, input: [] }, member: null }),
  answer: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
}

/** The operation of a path: how it changes the request for the upstream, and the target of its answer. */
interface Operation {
  readonly mapRequest: (client: ClientRequest) => ClientRequest
  readonly toTarget: (dialect: Dialect, client: ClientRequest) => Target
}

const RESPOND: Operation = {
  mapRequest: (client) => client,
  toTarget: (dialect, { request }) => dialectTarget(dialectFor(dialect, request)),
}

export const COMPACT: Operation = { mapRequest: toCompactRequest, toTarget: compactedTarget }

type Forms = Readonly<Record<Mount['reasoning'], Dialect>>

/** The dialect for each form of readable reasoning that a mount may have. `beta` has the same form for both. */
const FORMS: Readonly<Record<DialectName, Forms>> = {
  beta: { summary: beta, text: beta },
  openai: { summary: openai, text: openaiReasoningText },
}

const HEADER = 'x-responses-dialect'

type Codecs = Readonly<Record<string, RequestCodec>>

/** Made once for a mount: V8 gives each closure of a generator a prototype and a hidden class of its own. */
const codecsOf = (mount: Mount, operation: Operation): Codecs =>
  Object.fromEntries(
    Object.entries(FORMS).map(([name, forms]) => [name, toResponsesCodec(mount, operation, forms[mount.reasoning])]),
  )

/** The codec for the dialect of an answer: the mount's, unless the request selects another one. */
function chooseCodec(codecs: Codecs, mount: Mount, requested: string | string[] | undefined): Result<RequestCodec> {
  const name = requested === undefined ? mount.dialect : String(requested).trim().toLowerCase()
  const codec = lookup(codecs, name)
  if (codec !== undefined) return ok(codec)
  const message = `${HEADER}: expected ${oneOf(Object.keys(DIALECTS))}, got ${describeValue(name)}`
  return err(clientError('unknown_dialect', message, HEADER))
}

export function responsesApi(mount: Mount, operation = RESPOND): ClientApi {
  const codecs = codecsOf(mount, operation)
  return {
    keyPath: '"Authorization: Bearer <key>"',
    idHeader: null,
    isTypeOptional: false,
    keyOf: bearerOf,
    errorBody: responsesError,
    open: ({ request }) => chooseCodec(codecs, mount, request.headers[HEADER]),
  }
}

const toResponsesCodec = ({ history }: Mount, { mapRequest, toTarget }: Operation, dialect: Dialect): RequestCodec => ({
  name: dialect.name,
  wire: RESPONSES_WIRE,
  modelOf: () => null,
  *read(body) {
    const read = yield* readClientRequest(body, { dialect, history })
    return read.ok ? ok(mapRequest(read.value)) : read
  },
  target: (client) => toTarget(dialect, client),
})
