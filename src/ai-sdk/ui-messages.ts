import type { JsonRecord } from '../protocol/json.ts'
import { OWN_NAMESPACE } from '../targets/front-end.ts'
import { ITEM_CONTENT } from '../targets/model-parts.ts'
import { isNonEmptyString, isObject } from '../text/json.ts'
import { lookup } from '../text/lookup.ts'
import { oneOf } from '../validation/messages.ts'
import type { GivenMessage, GivenPart } from './contract.ts'
import {
  callPart,
  filePart,
  hasTexts,
  isAddress,
  ownOf,
  type ReadThread,
  readThread,
  resultOutput,
  resultPart,
  type Sent,
  sentObjects,
  textPart,
  type Warn,
  warnOfSeal,
  withoutDeep,
} from './thread.ts'

type Part = Readonly<Record<string, unknown>> & { readonly type: string }

/** A message of a chat of the AI SDK, of version 6 or 7. */
export interface UIMessageLike {
  readonly role: 'system' | 'user' | 'assistant'
  readonly parts: readonly { readonly type: string }[]
}

/**
 * The messages of such a chat as the input of a request: text, files, reasoning with its encrypted content, calls and their
 * results, also those of the vendor. Parts that are for the interface only, such as data and sources, are left out. What a
 * browser should not have sent is left out as well, with a warning that names its place; nothing throws.
 */
export const readUIMessages = (messages: readonly UIMessageLike[]): ReadThread =>
  readThread((warn) => sentObjects(messages, 'messages', warn).flatMap((message) => toPrompt(message, warn)))

const ROLES: readonly unknown[] = ['system', 'user', 'assistant']

function toPrompt({ members: { role, parts }, place }: Sent, warn: Warn): readonly GivenMessage[] {
  if (!ROLES.includes(role)) {
    warn(`${place}.role`, oneOf(ROLES), role)
    return []
  }
  const sent = sentObjects(parts, `${place}.parts`, warn)
    .map((part) => withoutDeep(part, warn))
    .filter((part) => isPart(part, warn))
  if (role === 'system') return [{ role, content: sent.map(({ members }) => systemText(members)).join('') }]
  if (role === 'user') return [{ role, content: sent.flatMap(({ members }) => contentOf(members as Part)) }]
  return stepsOf(sent).flatMap((step): readonly GivenMessage[] => {
    const [first] = step
    // Words of the user while the model was working.
    if (first?.members.type === STEERING)
      return toPrompt({ members: { role: 'user', parts: first.members.parts }, place: first.place }, warn)
    const given = step.map(({ members }) => members as Part)
    const results = given.flatMap(resultsOf)
    return [
      { role: 'assistant', content: given.flatMap((part) => contentOf(part)) },
      ...(results.length === 0 ? [] : [{ role: 'tool' as const, content: results }]),
    ]
  })
}

const systemText = ({ type, text }: Sent['members']): string => (type === 'text' ? String(text) : '')

const STEERING = 'steering-message'

/** The texts that a part needs, by its type. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  reasoning: ['text'],
  file: ['url'],
  custom: ['kind'],
  'dynamic-tool': ['toolCallId', 'toolName'],
  'step-start': [],
  [STEERING]: [],
  // For the interface only.
  'source-url': [],
  'source-document': [],
}

const neededBy = (type: string): readonly string[] | undefined =>
  type.startsWith('tool-') ? ['toolCallId'] : type.startsWith('data-') ? [] : lookup(NEEDED, type)

function isPart(part: Sent, warn: Warn): boolean {
  const { type } = part.members
  const needed = typeof type === 'string' ? neededBy(type) : undefined
  if (needed === undefined) warn(`${part.place}.type`, 'the type of a part', type)
  if (needed === undefined || !hasTexts(part, needed, warn)) return false
  const { url, providerMetadata } = part.members
  if (type === 'file') return isAddress(String(url), `${part.place}.url`, warn)
  if (type === 'reasoning') warnOfSeal(sealOf(providerMetadata), `${part.place}.${SEAL}`, warn)
  return true
}

const SEAL = `providerMetadata.${OWN_NAMESPACE}.encryptedContent`

const sealOf = (metadata: unknown): unknown => ownOf(metadata)[OWN_NAMESPACE].encryptedContent

/** Results of a step follow all of its calls. */
function stepsOf(parts: readonly Sent[]): readonly (readonly Sent[])[] {
  const steps: Sent[][] = [[]]
  for (const part of parts) {
    const { type } = part.members
    if (type === STEERING) steps.push([part], [])
    else if (type === 'step-start') steps.push([])
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
  if (type === 'custom') return [{ type: 'custom', kind: String(part.kind), providerOptions: ownOf(providerMetadata) }]
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
  const { approved, reason }: JsonRecord = isObject(part.approval) ? part.approval : {}
  // A model that does not receive the denial waits for its result, or calls the tool again.
  const isDenied = state === 'output-denied' || (state === 'approval-responded' && approved === false && !isOwn)
  const denial = { type: 'execution-denied' as const, ...(isNonEmptyString(reason) ? { reason } : {}) }
  return isDenied ? [resultPart(toolCallId, name, denial)] : []
}

function approvalsOf({ approval }: Part): readonly GivenPart[] {
  if (!isObject(approval) || typeof approval.approved !== 'boolean') return []
  return [{ type: 'tool-approval-response', approvalId: String(approval.id), approved: approval.approved }]
}
