import type { JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss, mapped, NO_AUDIO, NO_FILES, SENT_AS_FUNCTION_CALL } from '../../../protocol/loss.ts'
import type { InputPart, Request } from '../../../protocol/request.ts'
import { isObject, parseJson } from '../../../text/json.ts'
import { mapSteps, type Steps } from '../../../text/steps.ts'
import type { UpstreamContext } from '../../contract.ts'
import { fromItems, type Origins } from '../../origins.ts'
import { parseDataUrl } from '../../shared/media-types.ts'
import {
  type AssistantTurn,
  argumentLosses,
  type CallInput,
  itemsOfMessage,
  type LocatedInput,
  type OutputInput,
  type PromptInput,
  toTurns,
} from '../../shared/upstream/conversation.ts'
import {
  assistantText,
  callArguments,
  emptyMessages,
  missingPartText,
  reasoningText,
  unknownItems,
} from '../../shared/upstream/history-text.ts'
import { placeRules } from '../../shared/upstream/input/late-rules.ts'
import type { OllamaCall, OllamaMessage } from '../json.ts'

/** Encoded messages, and the losses of encoding them. */
interface Encoded<T> {
  readonly out: T
  readonly losses: readonly Loss[]
}

const WHY_NOT = {
  input_image: 'this upstream accepts only the data of an image, not its URL or its id',
  input_file: NO_FILES,
  input_audio: NO_AUDIO,
} as const

/** Returns the base64 data of an image without the prefix of its data URL; null if there is none. */
function imageOf(part: InputPart): string | null {
  if (part.type !== 'input_image') return null
  const data = parseDataUrl(part.image_url ?? '')
  return data?.base64 === true && data.body !== '' ? data.body : null
}

/** All texts joined into one string, and the images. */
interface Shown {
  readonly text: string
  readonly images: readonly string[]
}

/** `caption` returns the text that replaces an image in the string, or null for none. */
function encodeParts(
  parts: readonly InputPart[],
  path: string,
  caption: (image: string) => string | null,
): Encoded<Shown> {
  const texts: string[] = []
  const images: string[] = []
  const losses: Loss[] = []
  parts.forEach((part, i) => {
    const image = imageOf(part)
    if (part.type === 'input_text') texts.push(part.text)
    else if (image === null) {
      texts.push(missingPartText(part))
      losses.push(dropped(`${path}[${i}]`, WHY_NOT[part.type]))
    } else {
      const words = caption(image)
      images.push(image)
      if (words !== null) texts.push(words)
    }
  })
  return { out: { text: texts.join('\n'), images }, losses }
}

const withImages = (content: string, images: readonly string[]): OllamaMessage =>
  images.length === 0 ? { role: 'user', content } : { role: 'user', content, images }

function encodePrompt(
  { at, item }: LocatedInput<PromptInput>,
  origins: Origins | undefined,
): Encoded<readonly OllamaMessage[]> {
  const path = `input[${at}].content`
  const { out, losses } = encodeParts(item.content, path, () => null)
  if (item.role === 'user') return { out: [fromItems(withImages(out.text, out.images), origins, { at })], losses }
  const more = out.images.length > 0 ? [dropped(path, `this upstream accepts only text in a ${item.role} message`)] : []
  return { out: [fromItems({ role: 'system', content: out.text }, origins, { at })], losses: [...losses, ...more] }
}

function encodeCall({ at, item }: LocatedInput<CallInput>, origins: Origins | undefined): Encoded<OllamaCall> {
  const text = callArguments(item)
  const args = parseJson(text)
  const losses =
    item.type === 'custom_tool_call'
      ? [mapped(`input[${at}]`, SENT_AS_FUNCTION_CALL)]
      : isObject(args)
        ? argumentLosses(text, at)
        : [mapped(`input[${at}].arguments`, 'not a JSON object: sent as the argument "input"')]
  const call = { name: item.name, arguments: isObject(args) ? (args as JsonObject) : { input: text } }
  return { out: fromItems({ id: item.call_id, type: 'function', function: call }, origins, { at }), losses }
}

/** Encodes reasoning, text and calls of an assistant turn as one message; as no message if the turn is empty. */
function encodeAssistant(turn: AssistantTurn, origins: Origins | undefined): Encoded<readonly OllamaMessage[]> {
  const answer = assistantText(turn)
  const reasoning = reasoningText(turn)
  const calls = turn.calls.map((call) => encodeCall(call, origins))
  const content = answer.text + answer.refusal
  const losses = [...reasoning.losses, ...calls.flatMap((call) => call.losses)]
  if (content === '' && reasoning.text === '' && calls.length === 0) {
    return { out: [], losses: [...losses, ...emptyMessages(turn)] }
  }
  const message: OllamaMessage = {
    role: 'assistant',
    content,
    ...(reasoning.text === '' ? {} : { thinking: reasoning.text }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(({ out }) => out) }),
  }
  return { out: [fromItems(message, origins, ...itemsOfMessage(turn))], losses }
}

/** Prompt templates show images of users only, so the images of tools follow in a user message after all outputs. */
function encodeOutputs(
  outputs: readonly LocatedInput<OutputInput>[],
  nameOf: (callId: string) => string | undefined,
  origins: Origins | undefined,
): Encoded<readonly OllamaMessage[]> {
  const captions: string[] = []
  const images: string[] = []
  const losses: Loss[] = []
  const messages = outputs.map(({ at, item }): OllamaMessage => {
    const { out, losses: own } = encodeParts(item.output, `input[${at}].output`, (image) => {
      const label = `image ${images.push(image)}`
      captions.push(`${label}, from the output of the tool call ${item.call_id}`)
      return `[${label}: it follows in the next user message]`
    })
    losses.push(...own)
    const name = nameOf(item.call_id)
    const message = { role: 'tool', content: out.text, tool_call_id: item.call_id } as const
    return fromItems(name === undefined ? message : { ...message, tool_name: name }, origins, { at })
  })
  return { out: images.length === 0 ? messages : [...messages, withImages(captions.join('\n'), images)], losses }
}

/** Encodes all messages of a request (docs/wires/ollama-chat.md, 9.3). */
export function* encodeMessages(
  request: Request,
  { quirks: { lateSystem }, origins }: UpstreamContext,
): Steps<Encoded<readonly OllamaMessage[]>> {
  const encoded = yield* mapSteps(toTurns(request.input), (turn): Encoded<readonly OllamaMessage[]> => {
    switch (turn.kind) {
      case 'prompt':
        return encodePrompt(turn, origins)
      case 'orphan':
        return encodeOutputs([turn], () => undefined, origins)
      case 'assistant': {
        const answer = encodeAssistant(turn, origins)
        const names = new Map(turn.calls.map(({ item }) => [item.call_id, item.name]))
        const outputs = encodeOutputs(turn.outputs, (id) => names.get(id), origins)
        return { out: [...answer.out, ...outputs.out], losses: [...answer.losses, ...outputs.losses] }
      }
    }
  })
  const { instructions } = request
  const rules: readonly OllamaMessage[] =
    instructions === null || instructions === '' ? [] : [{ role: 'system', content: instructions }]
  const all = [...rules, ...encoded.flatMap(({ out }) => out)]
  const joined = (message: OllamaMessage, sources: readonly OllamaMessage[]): OllamaMessage => {
    origins?.join(message, sources)
    return message
  }
  const { messages, losses } = placeRules(
    all,
    request,
    lateSystem,
    (own) => joined({ role: 'system', content: own.map(({ content }) => content).join('\n\n') }, own),
    (own) => joined({ role: 'user', content: own.content }, [own]),
  )
  return {
    out: messages,
    losses: [...encoded.flatMap((one) => one.losses), ...losses, ...unknownItems(request)],
  }
}
