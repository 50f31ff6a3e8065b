import { runInSteps } from '../../../machine/run.ts'
import type { Delta } from '../../../protocol/delta.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { toClientArguments } from '../../../responses/call-arguments.ts'
import { runSteps, type Steps } from '../../../text/steps.ts'
import type { ClientCodec, EncodeContext } from '../../client-contract.ts'
import { withoutBroken } from '../../shared/client/broken-calls.ts'
import { serializeItems } from '../../shared/client/serialize-items.ts'
import type { InteractionError, InteractionEvent } from '../json.ts'
import { idOf, interactionEvents } from './events.ts'

/** A step to which deltas append. */
interface Growing {
  readonly step: JsonObject
  readonly texts: string[]
  readonly images: JsonObject[]
  /** The members that deltas bring. */
  readonly more: Record<string, Json>
}

type SentDelta = Extract<InteractionEvent, { readonly event_type: 'step.delta' }>['delta']

function grow({ texts, images, more }: Growing, delta: SentDelta): void {
  switch (delta.type) {
    case 'text':
      texts.push(delta.text as string)
      return
    case 'thought_summary':
      texts.push((delta.content as JsonObject).text as string)
      return
    case 'arguments_delta':
      texts.push(delta.arguments as string)
      return
    case 'image':
      images.push(delta)
      return
    default: {
      const { type: _, ...members } = delta
      Object.assign(more, members)
    }
  }
}

function whole({ step, texts, images, more }: Growing): JsonObject {
  const text = texts.join('')
  switch (step.type) {
    case 'model_output': {
      const words = text === '' ? [] : [{ text, ...more, type: 'text' }]
      return { ...step, content: [...words, ...images] }
    }
    case 'thought':
      return { ...step, ...more, ...(text === '' ? {} : { summary: [{ text, type: 'text' }] }) }
    case 'function_call':
      return { ...step, arguments: toClientArguments(text) ?? {} }
    default:
      return { ...step, ...more }
  }
}

/** Builds an interaction from the events of its stream. */
function collectInteraction(events: readonly InteractionEvent[]): JsonObject {
  const steps: JsonObject[] = []
  const errors: InteractionError[] = []
  let interaction: JsonObject = {}
  let growing: Growing | null = null
  for (const event of events) {
    switch (event.event_type) {
      case 'step.start':
        growing = { step: event.step, texts: [], images: [], more: {} }
        break
      case 'step.delta':
        if (growing !== null) grow(growing, event.delta)
        break
      case 'step.stop':
        if (growing !== null) steps.push(whole(growing))
        break
      case 'error':
        errors.push(event.error)
        break
      case 'interaction.completed':
        interaction = event.interaction as unknown as JsonObject
        break
    }
  }
  return { ...interaction, steps, ...(errors.length === 0 ? {} : { errors: errors as unknown as Json }) }
}

/** An answer that is not stored has no id. */
function withoutId(interaction: JsonObject, context: EncodeContext): JsonObject {
  if (idOf(context) !== '') return interaction
  const { id: _, ...rest } = interaction
  return rest
}

/** Collects the events of a stream into one interaction. Incomplete calls are left out. */
export const encodeBody: ClientCodec['encodeBody'] = (deltas, context) => runSteps(encodeBodyInSteps(deltas, context))

/** Does the same work in slices. */
export function* encodeBodyInSteps(deltas: readonly Delta[], context: EncodeContext): Steps<JsonObject> {
  const inOrder = yield* runInSteps(serializeItems, withoutBroken(deltas))
  return withoutId(collectInteraction(yield* runInSteps(interactionEvents(context), inOrder)), context)
}
