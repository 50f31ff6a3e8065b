import { dialectFor } from '../dialects/for-request.ts'
import type { AnswerOptions, BodyCollector, Translation, TranslationOptions } from '../engine/answer.ts'
import { type AnswerContext, answerContext } from '../engine/answer-context.ts'
import type { ClientTargetOptions } from '../engine/client-target.ts'
import { type DeltaMachine, withMachines } from '../engine/hooks.ts'
import type { Outcome } from '../engine/outcome.ts'
import { openAnswerBody, openAnswerStream, passingOf } from '../engine/passthrough/answers.ts'
import type { Target } from '../engine/target.ts'
import type { RoutedRequest } from '../engine/upstream-call.ts'
import type { Limits } from '../protocol/limits.ts'
import type { StreamWire } from '../wires/contract.ts'
import type { Redact } from '../wires/redact.ts'
import type { Unsent } from './answer-input.ts'
import { type NamedClient, targetOf } from './client-protocol.ts'

/** Opens answers that pass to a client of the upstream's own protocol. */
export interface PassedAnswers {
  openStream(options: TranslationOptions): Translation
  openBody(options: AnswerOptions): BodyCollector
}

/**
 * Everything that a request has decided about its answer: where it comes from, the changes to reverse, the fields that a response
 * repeats, and the protocol of its client. Every function that reads an answer accepts it as `answer`.
 *
 * `Event` and `Body`: the types of the events and of the whole answer, for the compiler alone.
 */
export interface CallAnswer<Event = unknown, Body = unknown> {
  readonly context: Omit<AnswerContext, 'wire'> & { readonly wire: StreamWire }
  readonly target: Target
  /** Null if the answer is translated. */
  readonly passes: PassedAnswers | null
  /** Hides the key that was sent. */
  readonly redact: Redact
  /** The remedy for a key that the upstream refuses. */
  readonly keyRemedy: string | null
  readonly limits: Limits
  /** Is called once with the outcome, before that of the options. */
  readonly onOutcome: (outcome: Outcome) => void
  /** The failure of a request that was not sent. Left out: a broken connection. */
  readonly toUnsent?: ((error: unknown) => Unsent) | undefined
  /** Never set. */
  readonly types?: readonly [Event, Body]
}

/** The parts of an answer that the request does not have. */
interface AnswerSettings {
  readonly client: NamedClient
  /** With its prefix. */
  readonly id: string
  /** Unix seconds. */
  readonly createdAt: number
  readonly form: Pick<ClientTargetOptions, 'format'>
  /** Of the program, in their order. */
  readonly machines: readonly DeltaMachine[]
  /** The edits of the client's own body; null if the request was translated. */
  readonly edits: readonly string[] | null
  readonly redact: Redact
  readonly keyRemedy: string | null
  readonly limits: Limits
  readonly onOutcome: (outcome: Outcome) => void
  readonly toUnsent?: (error: unknown) => Unsent
}

export function createCallAnswer(
  routed: RoutedRequest,
  { client, id, createdAt, form, machines, edits, redact, keyRemedy, limits, onOutcome, toUnsent }: AnswerSettings,
): CallAnswer {
  // The models of a translator have one vendor, so that a name needs no vendor.
  const context = answerContext(routed, id, createdAt, 'alone')
  const { request, settings } = routed.client
  const shown = client.dialect === null ? client : { ...client, dialect: dialectFor(client.dialect, request) }
  // Machines of a program need the deltas of the answer.
  const pass = machines.length === 0 ? passingOf(routed, edits) : null
  return {
    context: machines.length === 0 ? context : { ...context, wire: withMachines(context.wire, machines) },
    target: targetOf(shown, { settings, ...form }),
    passes:
      pass === null
        ? null
        : {
            openStream: (options) => openAnswerStream(options, pass),
            openBody: (options) => openAnswerBody(options, pass),
          },
    redact,
    keyRemedy,
    limits,
    onOutcome,
    toUnsent,
  }
}
