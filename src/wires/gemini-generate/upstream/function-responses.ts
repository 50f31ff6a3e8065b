import type { JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss } from '../../../protocol/loss.ts'
import type { InputPart } from '../../../protocol/request.ts'
import { isObject, parseJson } from '../../../text/json.ts'
import { hasInexactNumber } from '../../shared/large-numbers.ts'
import type { LocatedInput, OutputInput } from '../../shared/upstream/conversation.ts'
import { PART_NAMES } from '../../shared/upstream/history-text.ts'
import type { RequestPart } from '../json.ts'
import { detailLoss, encodePart, missingPart } from './parts.ts'

/** Encoded outputs of tools: one response for each call, then the parts that no response can hold. */
interface EncodedOutputs {
  readonly parts: readonly RequestPart[]
  readonly losses: readonly Loss[]
}

interface Shown {
  readonly inside: readonly RequestPart[]
  readonly after: readonly RequestPart[]
  readonly notes: readonly string[]
  readonly losses: readonly Loss[]
}

/**
 * A response is an object: the object that the tool returned, or its text in the field `output`. An object with a
 * number that would be rounded is sent as its text, which keeps all digits.
 */
function toResponse(text: string): JsonObject {
  const value = parseJson(text)
  return isObject(value) && !hasInexactNumber(text) ? (value as JsonObject) : { output: text }
}

/** Encodes an image or a file of an output. A response may contain only data, and only from Gemini 3 on (`inline`). */
function show(
  part: Exclude<InputPart, { readonly type: 'input_text' }>,
  path: string,
  callId: string,
  inline: boolean,
): Shown {
  const name = PART_NAMES[part.type]
  const encoded = encodePart(part)
  const nothing = { inside: [], after: [], losses: detailLoss(part, path) }
  if ('loss' in encoded) {
    const { text } = missingPart(part)
    return { ...nothing, notes: [String(text)], losses: [dropped(path, encoded.loss)] }
  }
  if (inline && isObject(encoded.part.inlineData)) return { ...nothing, inside: [encoded.part], notes: [] }
  const label = { text: `${name} from the output of the tool call ${callId}:` }
  return { ...nothing, after: [label, encoded.part], notes: [`[${name}: it follows]`] }
}

function encodeOutput({ at, item }: LocatedInput<OutputInput>, inline: boolean): Shown {
  const texts: string[] = []
  const others = item.output.flatMap((part, i): Shown[] => {
    if (part.type !== 'input_text') {
      const shown = show(part, `input[${at}].output[${i}]`, item.call_id, inline)
      texts.push(...shown.notes)
      return [shown]
    }
    texts.push(part.text)
    return []
  })
  return {
    inside: others.flatMap((it) => it.inside),
    after: others.flatMap((it) => it.after),
    notes: texts,
    losses: others.flatMap((it) => it.losses),
  }
}

/** `nameOf` returns the name of the called function. `rich`: the model accepts call ids, and images in responses. */
export function encodeOutputs(
  outputs: readonly LocatedInput<OutputInput>[],
  nameOf: (callId: string) => string,
  rich: boolean,
): EncodedOutputs {
  const encoded = outputs.map((output) => ({ callId: output.item.call_id, ...encodeOutput(output, rich) }))
  const answers = encoded.map(({ callId, notes, inside }): RequestPart => {
    const [name, response] = [nameOf(callId), toResponse(notes.join('\n'))]
    const more = inside.length === 0 ? {} : { parts: inside }
    return { functionResponse: rich ? { id: callId, name, response, ...more } : { name, response, ...more } }
  })
  return {
    parts: [...answers, ...encoded.flatMap(({ after }) => after)],
    losses: encoded.flatMap(({ losses }) => losses),
  }
}
