import { OWN_NAMESPACE } from '../targets/front-end.ts'
import { ITEM_CONTENT } from '../targets/model-parts.ts'
import { isObject } from '../text/json.ts'
import type { GivenMessage, GivenPart } from './contract.ts'
import {
  callPart,
  filePart,
  ownOf,
  type ReadThread,
  readThread,
  resultOutput,
  resultPart,
  sentObjects,
  textPart,
} from './thread.ts'

type Part = Readonly<Record<string, unknown>> & { readonly type: string }

/** A message of a chat of the AI SDK, of version 6 or 7. */
export interface UIMessageLike {
  readonly role: 'system' | 'user' | 'assistant'
  readonly parts: readonly { readonly type: string }[]
}

/**
 * The messages of such a chat as the input of a request: text, files, reasoning with its encrypted content, calls and their
 * results, also those of the vendor. Parts that are for the interface only, such as data and sources, are left out.
 */
export const readUIMessages = (messages: readonly UIMessageLike[]): ReadThread =>
  readThread(sentObjects(messages).flatMap((message) => toPrompt(message as unknown as UIMessageLike)))

function toPrompt({ role, parts }: UIMessageLike): readonly GivenMessage[] {
  const given = sentObjects(parts) as readonly Part[]
  if (role === 'system') {
    const content = given.map(({ text }) => (typeof text === 'string' ? text : '')).join('')
    return [{ role, content }]
  }
  if (role === 'user') return [{ role, content: given.flatMap((part) => contentOf(part)) }]
  return stepsOf(given).flatMap((step): readonly GivenMessage[] => {
    const results = step.flatMap(resultsOf)
    return [
      { role, content: step.flatMap((part) => contentOf(part)) },
      ...(results.length === 0 ? [] : [{ role: 'tool' as const, content: results }]),
    ]
  })
}

/** Results of a step follow all of its calls. */
function stepsOf(parts: readonly Part[]): readonly (readonly Part[])[] {
  const steps: Part[][] = [[]]
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([])
    else steps.at(-1)?.push(part)
  }
  return steps.filter(({ length }) => length > 0)
}

const isTool = ({ type }: Part): boolean => type === 'dynamic-tool' || type.startsWith('tool-')

const toolNameOf = ({ type, toolName }: Part): unknown =>
  type === 'dynamic-tool' ? toolName : type.slice('tool-'.length)

function contentOf(part: Part): readonly GivenPart[] {
  const { type, text, url, mediaType, filename, providerMetadata, data } = part
  if (type === 'text') return [textPart(text, providerMetadata)]
  if (type === 'reasoning') return [textPart(text, providerMetadata, 'reasoning')]
  if (type === 'file') return [filePart(String(url), mediaType, filename)]
  if (type === `data-${OWN_NAMESPACE}-item`)
    return [{ type: 'custom', kind: ITEM_CONTENT, providerOptions: { [OWN_NAMESPACE]: { item: data } } }]
  if (!isTool(part) || part.state === 'input-streaming') return []
  const { toolCallId, input, callProviderMetadata } = part
  const call = callPart(toolCallId, toolNameOf(part), input ?? part.rawInput, callProviderMetadata)
  // The result of the vendor's own tool is beside its call.
  return call.providerExecuted === true ? [call, ...outputsOf(part, true)] : [call]
}

const resultsOf = (part: Part): readonly GivenPart[] => {
  if (!isTool(part)) return []
  const isOwn = ownOf(part.callProviderMetadata)[OWN_NAMESPACE].itemType !== undefined
  return [...approvalsOf(part), ...(isOwn ? [] : outputsOf(part, false))]
}

function outputsOf(part: Part, isOwn: boolean): readonly GivenPart[] {
  const { toolCallId, state, output, errorText } = part
  const name = toolNameOf(part)
  if (state === 'output-available')
    return [resultPart(toolCallId, name, resultOutput(output, { isOwn: false, isError: false }))]
  if (state === 'output-error') return [resultPart(toolCallId, name, resultOutput(errorText, { isOwn, isError: true }))]
  return state === 'output-denied' ? [resultPart(toolCallId, name, { type: 'execution-denied' })] : []
}

function approvalsOf({ approval }: Part): readonly GivenPart[] {
  if (!isObject(approval) || typeof approval.approved !== 'boolean') return []
  return [{ type: 'tool-approval-response', approvalId: String(approval.id), approved: approval.approved }]
}
