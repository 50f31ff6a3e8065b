import type { Dialect } from '../dialects/dialect.ts'
import type { ClientTargetOptions, ClientWire } from '../engine/client-target.ts'
import { openFastPath } from '../fast-path/open-fast-path.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { ResponseEvent, ResponseObject } from '../protocol/response-event.ts'
import type { FrontEndName } from '../targets/names.ts'
import { checkCall, checkOptions } from '../validation/arguments.ts'
import { checkedValues } from '../validation/option-values.ts'
import type { AnswerProtocol } from './client-protocol.ts'
import { checkDecided, METHOD_OPTIONS, targetFor } from './named-streams.ts'
import { checkedUpstream, type UpstreamOptions } from './named-upstream.ts'
import { clientNamed, type ResponsesClient, type TargetName } from './names.ts'
import type { KeepAliveOptions } from './output-streams.ts'
import { rejected } from './streams.ts'
import { openTranslator } from './translator.ts'
import {
  type CallReadOptions,
  TRANSLATOR_SETTINGS,
  type Translator,
  type TranslatorCall,
  type TranslatorSettings,
} from './translator-types.ts'
import { routeTo } from './upstream-route.ts'

export interface TranslatorOptions extends TranslatorSettings {
  /**
   * The protocol of the clients, or a dialect of the Responses API: its name, or the object of `millrace/wires/<name>`
   * or `millrace/dialects/<name>`. Default: `openai-responses`, in the dialect `openai`.
   */
  readonly client?: TargetName | Dialect | ClientWire
  readonly upstream: UpstreamOptions
}

/** Options of a method of a translator that reads an answer. */
export interface NamedAnswerOptions extends Omit<CallReadOptions, 'to'>, ClientTargetOptions {
  /** Another protocol than that of the client of the call, or the stream of a user interface: its name or its object, or a
   * target of the program. */
  readonly to?: TargetName | FrontEndName | AnswerProtocol
}

const NAMES = [...TRANSLATOR_SETTINGS, 'client', 'upstream']

/** A translator of clients of the Responses API, or of those of another protocol. */
export type NamedTranslator<Event = unknown, Body = unknown> = Translator<Event, Body, NamedAnswerOptions>

/**
 * Answers requests of one protocol with an upstream of another.
 *
 * @throws TypeError for an unknown name in `client` or `upstream`, for an option that does not exist, and for a vendor
 * whose base URL is not given.
 */
export function createNamedTranslator(
  options: TranslatorOptions & { readonly client?: ResponsesClient },
): NamedTranslator<ResponseEvent, ResponseObject>
export function createNamedTranslator(options: TranslatorOptions): NamedTranslator<JsonObject, JsonObject>
export function createNamedTranslator(options: TranslatorOptions): NamedTranslator<never, never> {
  return openNamedTranslator(options, 'upstream.')
}

/** The same for an upstream whose settings a program has in another place: the names in remedies begin with it. */
export function openNamedTranslator(options: TranslatorOptions, place: string): NamedTranslator<never, never> {
  checkOptions(options, NAMES)
  const { client: named = 'openai-responses', upstream: given, ...settings } = checkedValues(options)
  const client = clientNamed('client', named)
  const upstream = checkedUpstream(given, { place: 'upstream' })
  const { keyVariable } = upstream
  const parts = { client, route: routeTo(upstream), keyVariable, place, fastPath: openFastPath }
  const inner = openTranslator({ ...settings, ...parts })
  return {
    ...inner,
    errorResponse: (error, options) => inner.errorResponse(error, toObjects(options, null, 'bytes')),
    toResponse: async (input, call, options) => inner.toResponse(input, call, toObjects(options, call, 'bytes')),
    events: (input, call, options) => inner.events(input, call, toObjects(options, call)),
    collect(input, call, options) {
      try {
        return inner.collect(input, call, toObjects(options, call))
      } catch (error) {
        return rejected(error)
      }
    },
    stream: (input, call, options) => inner.stream(input, call, toObjects(options, call, 'bytes')),
  }
}

/** `call`: null for a failure, which has none. */
function toObjects(
  options: NamedAnswerOptions & KeepAliveOptions = {},
  call: TranslatorCall | null,
  output: keyof typeof METHOD_OPTIONS = 'objects',
): CallReadOptions & KeepAliveOptions {
  checkOptions(options, METHOD_OPTIONS[output])
  const { to, settings, format, ...rest } = checkedValues(options)
  if (to !== undefined) return { ...rest, to: targetFor(to, { settings, format }) }
  if (call !== null) {
    checkCall(call)
    checkDecided(call.answer, { settings, format })
  }
  return rest
}
