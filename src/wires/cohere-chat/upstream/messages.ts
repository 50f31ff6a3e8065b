import { dropped, type Loss, mapped, NO_REASONING, SENT_AS_FUNCTION_CALL } from '../../../protocol/loss.ts'
import type { InputPart, Request } from '../../../protocol/request.ts'
import { mapSteps, type Steps } from '../../../text/steps.ts'
import { fromItems, type Origins } from '../../origins.ts'
import {
  type AssistantTurn,
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
  PART_NAMES,
  reasoningText,
  unknownItems,
} from '../../shared/upstream/history-text.ts'
import type {
  CohereAssistantPart,
  CohereCall,
  CohereDocument,
  CohereMessage,
  CoherePart,
  CohereResultPart,
} from '../json.ts'
import { encodePart } from './parts.ts'

/** Encoded messages, the documents that accompany them, and the losses of encoding them. */
interface Encoded {
  readonly out: readonly CohereMessage[]
  readonly documents: readonly CohereDocument[]
  readonly losses: readonly Loss[]
}

const textPart = (text: string): CoherePart & CohereResultPart => ({ type: 'text', text })

/** Joins parts into one string if all of them are text. */
function toContent<Part extends { readonly type: string }>(parts: readonly Part[]): string | readonly Part[] {
  const texts = parts.flatMap((part) => ('text' in part && typeof part.text === 'string' ? [part.text] : []))
  return texts.length === parts.length ? texts.join('\n') : parts
}

const nameOf = ({ data }: CohereDocument): string =>
  data.title === undefined ? 'file' : `file ${JSON.stringify(data.title)}`

function encodePrompt({ at, item }: LocatedInput<PromptInput>, origins: Origins | undefined): Encoded {
  const path = `input[${at}].content`
  const documents: CohereDocument[] = []
  const losses: Loss[] = []
  const parts = item.content.map((part, i): CoherePart => {
    const result = encodePart(part)
    if ('part' in result) {
      origins?.add(result.part, `${path}[${i}]`)
      return result.part
    }
    if ('loss' in result) {
      losses.push(dropped(`${path}[${i}]`, result.loss))
      return textPart(missingPartText(part))
    }
    origins?.add(result.document, `${path}[${i}]`)
    documents.push(result.document)
    losses.push(mapped(`${path}[${i}]`, 'sent as a document of the whole request'))
    return textPart(`[${nameOf(result.document)}: it is among the documents]`)
  })
  if (item.role === 'user') {
    const content = toContent(parts)
    // "message must be at least 1 token long".
    if (typeof content === 'string' && content.trim() === '')
      return {
        out: [],
        documents,
        losses: [...losses, dropped(`input[${at}]`, 'this upstream does not accept empty messages')],
      }
    return { out: [fromItems({ role: 'user', content }, origins, { at })], documents, losses }
  }
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  if (texts.length < parts.length)
    losses.push(dropped(path, `this upstream accepts only text in a ${item.role} message`))
  const rules = texts.join('\n')
  return {
    out: rules === '' ? [] : [fromItems({ role: 'system', content: rules }, origins, { at })],
    documents,
    losses,
  }
}

const encodeCall = ({ item }: LocatedInput<CallInput>): CohereCall => ({
  id: item.call_id,
  type: 'function',
  function: { name: item.name, arguments: callArguments(item) },
})

const callLoss = ({ at, item }: LocatedInput<CallInput>): readonly Loss[] =>
  item.type === 'custom_tool_call' ? [mapped(`input[${at}]`, SENT_AS_FUNCTION_CALL)] : []

const withoutReasoning = ({ reasoning }: AssistantTurn): ReturnType<typeof reasoningText> => ({
  text: '',
  losses: reasoning.map(({ at }) => dropped(`input[${at}]`, NO_REASONING)),
})

/** Encodes reasoning, text and calls of an assistant turn as one message. Text in a turn with calls is its plan. */
function encodeAssistant(turn: AssistantTurn, thinks: boolean, origins: Origins | undefined): Encoded {
  const answer = assistantText(turn)
  const reasoning = thinks ? reasoningText(turn) : withoutReasoning(turn)
  const text = answer.text + answer.refusal
  const isPlan = turn.calls.length > 0
  const blocks: CohereAssistantPart[] = reasoning.text === '' ? [] : [{ type: 'thinking', thinking: reasoning.text }]
  if (text !== '' && !isPlan) blocks.push({ type: 'text', text })
  const losses = [...reasoning.losses, ...turn.calls.flatMap(callLoss)]
  if (blocks.length === 0 && !isPlan) return { out: [], documents: [], losses: [...losses, ...emptyMessages(turn)] }
  const message: CohereMessage = {
    role: 'assistant',
    ...(blocks.length === 0 ? {} : { content: toContent(blocks) }),
    ...(isPlan && text !== '' ? { tool_plan: text } : {}),
    ...(isPlan ? { tool_calls: turn.calls.map((call) => fromItems(encodeCall(call), origins, call)) } : {}),
  }
  return { out: [fromItems(message, origins, ...itemsOfMessage(turn))], documents: [], losses }
}

/** The output of a tool, and its images, which only user messages may contain. */
interface Results {
  readonly parts: CohereResultPart[]
  readonly shown: CoherePart[]
  readonly losses: Loss[]
}

function applyOutput(part: InputPart, path: string, callId: string, { parts, shown, losses }: Results): void {
  const result = encodePart(part)
  if ('loss' in result) {
    losses.push(dropped(path, result.loss))
    parts.push(textPart(missingPartText(part)))
  } else if ('document' in result) parts.push({ type: 'document', document: result.document })
  else if (result.part.type === 'text') parts.push(result.part)
  else {
    const label = `${PART_NAMES[part.type]} ${shown.length / 2 + 1}`
    shown.push(textPart(`${label}, from the output of the tool call ${callId}:`), result.part)
    parts.push(textPart(`[${label}: it follows in the next user message]`))
  }
}

function encodeOutputs(outputs: readonly LocatedInput<OutputInput>[], origins: Origins | undefined): Encoded {
  const shown: CoherePart[] = []
  const losses: Loss[] = []
  const messages = outputs.map(({ at, item }): CohereMessage => {
    const parts: CohereResultPart[] = []
    item.output.forEach((part, i) => {
      applyOutput(part, `input[${at}].output[${i}]`, item.call_id, { parts, shown, losses })
    })
    return fromItems({ role: 'tool', tool_call_id: item.call_id, content: toContent(parts) }, origins, { at })
  })
  const out = shown.length === 0 ? messages : [...messages, { role: 'user', content: shown } as const]
  return { out, documents: [], losses }
}

const join = (pieces: readonly Encoded[]): Encoded => ({
  out: pieces.flatMap(({ out }) => out),
  documents: pieces.flatMap(({ documents }) => documents),
  losses: pieces.flatMap(({ losses }) => losses),
})

/** Encodes all messages of a request (docs/wires/cohere-chat.md, 9.3). `thinks`: the model takes reasoning back. */
export function* encodeMessages(request: Request, thinks: boolean, origins?: Origins): Steps<Encoded> {
  const { instructions } = request
  const rules: Encoded = {
    out: instructions === null || instructions === '' ? [] : [{ role: 'system', content: instructions }],
    documents: [],
    losses: [],
  }
  const turns = yield* mapSteps(toTurns(request.input), (turn): Encoded => {
    switch (turn.kind) {
      case 'prompt':
        return encodePrompt(turn, origins)
      case 'orphan':
        return encodeOutputs([turn], origins)
      case 'assistant':
        return join([encodeAssistant(turn, thinks, origins), encodeOutputs(turn.outputs, origins)])
    }
  })
  return join([rules, ...turns, { out: [], documents: [], losses: unknownItems(request) }])
}
