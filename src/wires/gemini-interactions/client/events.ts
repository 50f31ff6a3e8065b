import { EMPTY_LIST, listAppend, listToArray } from '../../../collections/list.ts'
import { mapSet } from '../../../collections/sorted-map.ts'
import { type Machine, NOTHING, type Step } from '../../../machine/machine.ts'
import type { CallDelta, ContentDelta, Delta, FinishReason, StopDelta } from '../../../protocol/delta.ts'
import { type GatewayError, upstreamError } from '../../../protocol/error.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { wrapEnvelope } from '../../../responses/encrypted-content.ts'
import { appendFlat } from '../../../text/flat-string.ts'
import type { EncodeContext } from '../../client-contract.ts'
import { PART_BORDER } from '../../shared/client/part-border.ts'
import { errorOf } from '../errors.ts'
import type { Interaction, InteractionError, InteractionEvent } from '../json.ts'
import { readPayload } from '../payloads.ts'
import { AWAITS_RESULTS, madeId } from '../terms.ts'
import { fromUsage } from '../usage.ts'
import { annotationsOf } from './citations.ts'
import { hostedSteps, splitStep } from './hosted-steps.ts'
import { type EncoderState, initialEncoder, updateEncoder, type WrittenStep } from './state.ts'

type Events = InteractionEvent[]

/** An answer that is not stored has an empty id. */
export const idOf = ({ id, settings }: EncodeContext): string => (settings.store === false ? '' : `v1_${id}`)

/**
 * Encodes deltas of items that do not overlap as events: one open step at a time, with indices from 0, each of them
 * begun and stopped once. O(1) for more of the same text, O(log n) for any other delta; the citations of a text are
 * written at its end, in one pass over it.
 */
export const interactionEvents = (context: EncodeContext): Machine<EncoderState, Delta, InteractionEvent> => ({
  initial: initialEncoder(context.model),

  step(state, delta): Step<EncoderState, InteractionEvent> {
    const { open, over, index } = state.progress
    if (over) return { state, events: NOTHING }
    // Most deltas of a stream add text to the open step: they take this short path.
    if (delta.kind === 'text' && open?.kind === 'text' && open.key === delta.key && open.part === delta.part) {
      return {
        state: { text: appendFlat(state.text, delta.text), progress: state.progress },
        events: [{ event_type: 'step.delta', index, delta: { type: 'text', text: delta.text } }],
      }
    }
    const events: Events = []
    return { state: apply(state, delta, context, events), events }
  },

  end(state) {
    if (state.progress.over) return NOTHING
    const events: Events = []
    fail(state, upstreamError('upstream_truncated', 'The response ended before it was complete.'), context, events)
    return events
  },
})

function apply(state: EncoderState, delta: Delta, context: EncodeContext, events: Events): EncoderState {
  switch (delta.kind) {
    case 'start':
      return begin(updateEncoder(state, { model: delta.model }), context, events)
    case 'text':
    case 'refusal':
      return writeText(state, delta, context, events)
    case 'reasoning':
    case 'summary':
      return context.settings.reasoning === false ? state : writeSummary(state, delta, context, events)
    case 'call':
      return writeCall(state, delta, context, events)
    case 'opaque':
      return typeof delta.payload === 'string' ? writeSeal(state, delta.key, delta.payload, context, events) : state
    case 'citation': {
      const { open, cited } = state.progress
      return open?.kind === 'text' && open.key === delta.key
        ? updateEncoder(state, { cited: listAppend(cited, delta) })
        : state
    }
    case 'hosted':
      return delta.done
        ? updateEncoder(closeStep(state, events), { hosted: listAppend(state.progress.hosted, delta.item) })
        : state
    case 'stop':
      return state.progress.open?.key === delta.key
        ? closeStep(withBroken(state, delta), events, delta.cut === true)
        : state
    case 'usage':
      return updateEncoder(state, { usage: delta.usage })
    case 'served':
      return updateEncoder(state, { served: { ...state.progress.served, ...delta.served } })
    case 'finish':
      return finish(state, delta.reason, context, events)
    case 'error':
      return fail(state, delta.error, context, events)
    default:
      return state
  }
}

const timeOf = ({ created_at }: EncodeContext): string => new Date(created_at * 1000).toISOString().replace('.000', '')

function begin(state: EncoderState, context: EncodeContext, events: Events): EncoderState {
  if (state.progress.started) return state
  const id = idOf(context)
  const { model } = state.progress
  events.push(
    { event_type: 'interaction.created', interaction: { id, status: 'in_progress', object: 'interaction', model } },
    { event_type: 'interaction.status_update', interaction_id: id, status: 'in_progress' },
  )
  return updateEncoder(state, { started: true })
}

// ---------------------------------------------------------------- steps

const deltaEvent = ({ progress }: EncoderState, delta: JsonObject & { readonly type: string }): InteractionEvent => ({
  event_type: 'step.delta',
  index: progress.index,
  delta,
})

/** Begins a step, after the open step and the items of tools before it. */
function openStep(
  state: EncoderState,
  open: WrittenStep,
  step: JsonObject & { readonly type: string },
  context: EncodeContext,
  events: Events,
): EncoderState {
  const ready = flushHosted(closeStep(begin(state, context, events), events), events)
  events.push({ event_type: 'step.start', index: ready.progress.index, step })
  return { text: '', progress: { ...ready.progress, open, bases: null, cited: EMPTY_LIST, hasOutput: true } }
}

/** Ends the open step. Clients run no call whose step does not stop, and read no arguments that no delta has. */
function closeStep(state: EncoderState, events: Events, isCut = false): EncoderState {
  const { open, index } = state.progress
  if (open === null) return state
  if (open.kind === 'custom') events.push(deltaEvent(state, { type: 'arguments_delta', arguments: '"}' }))
  if (open.kind === 'call' && !open.isStarted)
    events.push(deltaEvent(state, { type: 'arguments_delta', arguments: '{}' }))
  const annotations = open.kind === 'text' ? annotationsOf(state) : []
  if (annotations.length > 0)
    events.push(deltaEvent(state, { type: 'text_annotation_delta', annotations: annotations as unknown as Json }))
  events.push({ event_type: 'step.stop', index, ...(isCut ? { status: 'incomplete' } : {}) })
  return updateEncoder(state, { open: null, index: index + 1 })
}

function writeWhole(state: EncoderState, step: JsonObject, events: Events): EncoderState {
  const { index } = state.progress
  const { head, rest } = splitStep(step)
  const { type } = head
  events.push({ event_type: 'step.start', index, step: head })
  if (type === 'model_output') {
    for (const content of (rest.content as readonly (JsonObject & { readonly type: string })[] | undefined) ?? [])
      events.push({ event_type: 'step.delta', index, delta: content })
  } else events.push({ event_type: 'step.delta', index, delta: { type, ...rest } })
  events.push({ event_type: 'step.stop', index })
  return updateEncoder(state, { index: index + 1, hasOutput: true })
}

/** Writes the finished items of tools, which no steps of Google have replaced. */
function flushHosted(state: EncoderState, events: Events): EncoderState {
  const { hosted } = state.progress
  if (hosted.length === 0) return state
  return listToArray(hosted).reduce<EncoderState>(
    (now, item) => {
      const steps = hostedSteps(item, madeId(now.progress.tools))
      const counted = updateEncoder(now, { tools: now.progress.tools + 1 })
      return steps.reduce<EncoderState>((one, step) => writeWhole(one, step, events), counted)
    },
    updateEncoder(state, { hosted: EMPTY_LIST }),
  )
}

// ---------------------------------------------------------------- content

function writeText(state: EncoderState, delta: ContentDelta, context: EncodeContext, events: Events): EncoderState {
  const { key, part, text } = delta
  if (text === '') return state
  const { open, bases } = state.progress
  const goesOn = open?.kind === 'text' && open.key === key
  const step: WrittenStep = { kind: 'text', key, part, isStarted: true }
  const ready = goesOn
    ? updateEncoder(state, { open: step, bases: open.part === part ? bases : mapSet(bases, part, state.text.length) })
    : openStep(state, step, { type: 'model_output' }, context, events)
  events.push(deltaEvent(ready, { type: 'text', text }))
  return { text: appendFlat(ready.text, text), progress: ready.progress }
}

/** A blank line separates the parts of a summary, because clients join its pieces. */
function writeSummary(state: EncoderState, delta: ContentDelta, context: EncodeContext, events: Events): EncoderState {
  const { key, part, text } = delta
  if (text === '') return state
  const { open } = state.progress
  const goesOn = open?.kind === 'thought' && open.key === key
  const step: WrittenStep = { kind: 'thought', key, part, isStarted: true }
  const ready = goesOn
    ? updateEncoder(state, { open: step })
    : openStep(state, step, { type: 'thought' }, context, events)
  const isNext = goesOn && open.isStarted && open.part !== part
  events.push(
    deltaEvent(ready, { type: 'thought_summary', content: { type: 'text', text: isNext ? PART_BORDER + text : text } }),
  )
  return ready
}

/** A custom tool is called with one string argument, so the pieces of its input are pieces of a JSON string. */
const inString = (text: string): string => JSON.stringify(text).slice(1, -1)

function writeCall(state: EncoderState, delta: CallDelta, context: EncodeContext, events: Events): EncoderState {
  const { key, name, callId, type } = delta
  const { open } = state.progress
  const isOpen = (open?.kind === 'call' || open?.kind === 'custom') && open.key === key
  if (!isOpen && name === null) return state
  const isCustom = type === 'custom_tool_call'
  const step = { type: 'function_call', id: callId ?? '', name: name ?? '', arguments: {} }
  const ready = isOpen
    ? state
    : updateEncoder(
        openStep(
          state,
          { kind: isCustom ? 'custom' : 'call', key, part: '', isStarted: isCustom },
          step,
          context,
          events,
        ),
        { called: true },
      )
  if (!isOpen && isCustom) events.push(deltaEvent(ready, { type: 'arguments_delta', arguments: '{"input":"' }))
  if (delta.arguments === '') return ready
  const text = isCustom ? inString(delta.arguments) : delta.arguments
  events.push(deltaEvent(ready, { type: 'arguments_delta', arguments: text }))
  const written = ready.progress.open
  return written === null || written.isStarted ? ready : updateEncoder(ready, { open: { ...written, isStarted: true } })
}

const withBroken = (state: EncoderState, { cut }: StopDelta): EncoderState =>
  cut === true && state.progress.open?.kind === 'call' ? updateEncoder(state, { broken: true }) : state

// ---------------------------------------------------------------- signatures

/**
 * Writes encrypted content: a signature of Google as it was, its own steps in place of the items that they became, and
 * any other content as an envelope, which clients send back unchanged.
 */
function writeSeal(
  state: EncoderState,
  key: string,
  encrypted: string,
  context: EncodeContext,
  events: Events,
): EncoderState {
  const payload = readPayload(context.open(encrypted))
  if (payload?.on === 'steps') {
    const ready = closeStep(begin(updateEncoder(state, { hosted: EMPTY_LIST }), context, events), events)
    return payload.steps.reduce<EncoderState>((now, step) => writeWhole(now, step, events), ready)
  }
  const signature = payload?.on === 'thought' ? payload.signature : wrapEnvelope(context.seal(encrypted))
  const { open } = state.progress
  const isOpen = open?.kind === 'thought' && open.key === key
  const step: WrittenStep = { kind: 'thought', key, part: '', isStarted: true }
  const ready = isOpen ? state : openStep(state, step, { type: 'thought' }, context, events)
  events.push(deltaEvent(ready, { type: 'thought_signature', signature }))
  return ready
}

// ---------------------------------------------------------------- the end

const INCOMPLETE = 'incomplete'

const tierOf = (tier: string): string => (tier === 'default' ? 'standard' : tier)

function complete(
  state: EncoderState,
  status: string,
  context: EncodeContext,
  events: Events,
  errors: readonly InteractionError[] = [],
): EncoderState {
  const { model, usage, served } = state.progress
  const time = timeOf(context)
  const interaction: Interaction = {
    id: idOf(context),
    status,
    usage: fromUsage(usage),
    created: time,
    updated: time,
    ...(served.service_tier === undefined ? {} : { service_tier: tierOf(served.service_tier) }),
    ...(errors.length === 0 ? {} : { errors }),
    object: 'interaction',
    model,
  }
  events.push({ event_type: 'interaction.completed', interaction })
  return updateEncoder(state, { over: true })
}

const settle = (state: EncoderState, context: EncodeContext, events: Events, isCut = false): EncoderState =>
  flushHosted(closeStep(begin(state, context, events), events, isCut), events)

/** Google has no status for the verdict of a filter. */
const FILTERED = upstreamError('content_filter', 'A content filter stopped the response.')

function finish(state: EncoderState, reason: FinishReason, context: EncodeContext, events: Events): EncoderState {
  const settled = settle(state, context, events)
  const { called, broken, hasOutput } = settled.progress
  const isWhole = reason === 'stop' && !broken
  if (isWhole) return complete(settled, called ? AWAITS_RESULTS : 'completed', context, events)
  if (reason !== 'content_filter') return complete(settled, INCOMPLETE, context, events)
  // Without any output, clients would take the answer for an empty one.
  if (!hasOutput) events.push({ event_type: 'error', error: errorOf(FILTERED) })
  return complete(settled, INCOMPLETE, context, events, [errorOf(FILTERED)])
}

/** The usage of a failed answer follows the failure: clients read it from the last event only. */
function fail(state: EncoderState, error: GatewayError, context: EncodeContext, events: Events): EncoderState {
  const settled = settle(state, context, events, true)
  events.push({ event_type: 'error', error: errorOf(error) })
  return complete(settled, 'failed', context, events, [errorOf(error)])
}
