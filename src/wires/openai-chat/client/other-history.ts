import type { Json, JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss } from '../../../protocol/loss.ts'
import type { PathMap } from '../../../protocol/source-map.ts'
import { formatJson, isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import type { UsualForm } from '../../client-contract.ts'
import { presentMembers, withGivenNames } from '../../shared/passthrough/other-forms.ts'

/**
 * Conversations of the Responses API and the Messages API in a body of Chat Completions, as editors send them to the
 * address of a server of another protocol. Functions return the value itself where its form is the protocol's own.
 */

const isList = (value: unknown): value is readonly Json[] => Array.isArray(value)

const textOf = (value: Json | undefined): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : formatJson(value)

const toolCall = (id: Json | undefined, name: Json | undefined, args: Json | undefined): JsonObject =>
  presentMembers({ id, type: 'function', function: presentMembers({ name, arguments: textOf(args ?? {}) }) })

const toolMessage = (id: Json | undefined, content: Json | undefined): JsonObject =>
  presentMembers({ role: 'tool', tool_call_id: id, content: isList(content) ? content : textOf(content) })

const typeOf = (block: Json): Json | undefined => (isObject(block) ? (block as JsonObject).type : undefined)

const hasBlocks = (message: JsonObject): boolean =>
  isList(message.content) &&
  message.content.some((block) => typeOf(block) === 'tool_use' || typeOf(block) === 'tool_result')

const SEALED = 'this protocol has no member for encrypted reasoning'

const NO_MEMBER = 'this protocol has no such member'

/** Members of items and blocks that request nothing. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(['id', 'status'])

/** The losses of members that have no place in a message. */
const lostMembers = (members: JsonObject, path: string): readonly Loss[] =>
  Object.entries(members).flatMap(([name, value]) => {
    const isEmpty = value === null || value === false || (isList(value) && value.length === 0)
    return isEmpty || WITHOUT_EFFECT.has(name) ? [] : [dropped(path === '' ? name : `${path}.${name}`, NO_MEMBER)]
  })

const textsIn = (parts: Json | undefined): string =>
  toArray(parts)
    .flatMap((part) => (isObject(part) && isNonEmptyString(part.text) ? [part.text] : []))
    .join('\n\n')

/** Messages of Chat Completions, and the places in the client's conversation from which they come. */
class History {
  readonly messages: Json[] = []
  readonly places: Place[] = []
  readonly losses: Loss[] = []
  /** The list in the last answer with calls of the Responses API, which grows in its place. */
  private calls: Json[] = []
  /** Reasoning that waits for its answer. */
  private reasoning: { readonly text: string; readonly path: string } | null = null

  push(entry: Json, path: string): void {
    const { type, ...message } = (isObject(entry) ? entry : {}) as JsonObject
    if (typeof entry === 'string') this.add({ role: 'user', content: entry }, path)
    else if (type === 'reasoning') this.think(message, path)
    else if (type === 'function_call') {
      const { call_id, name, arguments: args, ...others } = message
      this.call(toolCall(call_id, name, args), path)
      this.losses.push(...lostMembers(others, path))
    } else if (type === 'function_call_output') {
      const { call_id, output, ...others } = message
      this.add(toolMessage(call_id, output), path)
      this.losses.push(...lostMembers(others, path))
    } else if (hasBlocks(message)) this.pushBlocks(message, path)
    else if (type === 'message') {
      const { role, content, ...others } = message
      this.add(presentMembers({ role, content }), path, true)
      this.losses.push(...lostMembers(others, path))
    } else this.add(entry, path, true)
  }

  /** No answer follows the reasoning. */
  end(): void {
    if (this.reasoning !== null) this.losses.push(dropped(this.reasoning.path, 'no answer follows it'))
    this.reasoning = null
  }

  private add(message: Json, path: string, isOwn = false): void {
    const before = this.reasoning
    const sent = this.withReasoning(message)
    this.messages.push(sent)
    this.places.push({ path, isOwn, reasoning: sent === message ? undefined : before?.path })
  }

  private withReasoning(message: Json): Json {
    if (!isObject(message) || message.role !== 'assistant') {
      this.end()
      return message
    }
    const { reasoning } = this
    this.reasoning = null
    if (reasoning === null || isNonEmptyString(message.reasoning_content)) return message
    return { ...(message as JsonObject), reasoning_content: reasoning.text }
  }

  private think({ summary, content, encrypted_content: sealed }: JsonObject, path: string): void {
    const text = textsIn(content) || textsIn(summary)
    if (isNonEmptyString(sealed)) this.losses.push(dropped(`${path}.encrypted_content`, SEALED))
    if (text === '') return
    this.reasoning = { text: this.reasoning === null ? text : `${this.reasoning.text}\n\n${text}`, path }
  }

  /** A call of the Responses API belongs to the answer before it. */
  private call(call: JsonObject, path: string): void {
    const last = this.messages.at(-1)
    if (this.reasoning === null && isObject(last) && last.role === 'assistant') {
      const { calls } = this
      if (calls.length > 0 && last.tool_calls === calls) calls.push(call)
      else {
        this.calls = [...(isList(last.tool_calls) ? last.tool_calls : []), call]
        this.messages[this.messages.length - 1] = { ...(last as JsonObject), tool_calls: this.calls }
      }
    } else {
      this.calls = [call]
      this.add({ role: 'assistant', content: null, tool_calls: this.calls }, path)
    }
  }

  /** Results of the Messages API stand in a message of the user, calls in an answer, beside its texts. */
  private pushBlocks(message: JsonObject, path: string): void {
    const rest: Json[] = []
    const calls: Json[] = isList(message.tool_calls) ? [...message.tool_calls] : []
    for (const [at, block] of (message.content as readonly Json[]).entries()) {
      const place = `${path}.content[${at}]`
      const { type, ...members } = (isObject(block) ? block : {}) as JsonObject
      if (type === 'tool_use') {
        const { id, name, input, ...others } = members
        calls.push(toolCall(id, name, input))
        this.losses.push(...lostMembers(others, place))
      } else if (type === 'tool_result') {
        const { tool_use_id, content, ...others } = members
        this.add(toolMessage(tool_use_id, content), place)
        this.losses.push(...lostMembers(others, place))
      } else if (type === 'thinking') {
        this.think({ content: [{ text: members.thinking ?? null }] }, place)
        if (isNonEmptyString(members.signature)) this.losses.push(dropped(`${place}.signature`, SEALED))
      } else if (type === 'redacted_thinking') this.losses.push(dropped(place, SEALED))
      else rest.push(block)
    }
    if (calls.length > 0) this.add({ ...message, content: rest.length === 0 ? null : rest, tool_calls: calls }, path)
    else if (rest.length > 0) this.add({ ...message, content: rest }, path)
  }
}

/** Where a message stands in the client's conversation, and whether its members have the same names there. */
interface Place {
  readonly path: string
  readonly isOwn: boolean
  /** Where the reasoning stands that is a member of the message. */
  readonly reasoning?: string | undefined
}

const ITEMS: ReadonlySet<unknown> = new Set(['function_call', 'function_call_output', 'message', 'reasoning'])

const isForeign = (entry: Json): boolean =>
  typeof entry === 'string' || ITEMS.has(typeOf(entry)) || (isObject(entry) && hasBlocks(entry as JsonObject))

interface Usual {
  readonly messages: Json
  /** Empty: each message stands in its own place. */
  readonly places: readonly Place[]
  readonly losses: readonly Loss[]
}

const unmoved = (messages: Json): Usual => ({ messages, places: [], losses: [] })

function usualMessages(given: Json, list: string): Usual {
  if (typeof given === 'string') return unmoved([{ role: 'user', content: given }])
  if (isObject(given)) return isNonEmptyString(given.role) ? usualMessages([given as JsonObject], list) : unmoved(given)
  if (!isList(given) || !given.some(isForeign))
    return list === 'messages' || !isList(given)
      ? unmoved(given)
      : { ...unmoved(given), places: given.map((_, at) => ({ path: `${list}[${at}]`, isOwn: true })) }
  const history = new History()
  for (const [at, entry] of given.entries()) history.push(entry, `${list}[${at}]`)
  history.end()
  return history
}

/** Members of the other protocols, and their names here. */
const RENAMED = [
  ['max_output_tokens', 'max_completion_tokens'],
  ['stop_sequences', 'stop'],
] as const

/** Rules that stand beside the conversation: a text, or a list of texts. */
const isRule = (rule: Json | undefined): rule is Json =>
  isNonEmptyString(rule) ||
  (isList(rule) && rule.length > 0 && rule.every((block) => isObject(block) && typeof block.text === 'string'))

/** A body in the form of Chat Completions. Without `form`, it is the client's own. */
export interface OtherHistory {
  readonly body: JsonObject
  readonly form?: UsualForm
}

function toPlaces(rules: readonly string[], places: readonly Place[], toName: PathMap): PathMap {
  return (path) => {
    const [entry, index] = /^messages\[(\d{1,9})\]/.exec(path) ?? []
    if (entry === undefined) return toName(path)
    const at = Number(index) - rules.length
    if (at < 0) return rules[Number(index)] ?? path
    const { path: place, isOwn, reasoning }: Place = places[at] ?? { path: `messages[${at}]`, isOwn: true }
    if (reasoning !== undefined && path.startsWith('.reasoning_content', entry.length)) return reasoning
    return isOwn ? place + path.slice(entry.length) : place
  }
}

/** Returns a body with its conversation in the form of Chat Completions. O(n) for n messages and their parts. */
export function withOtherHistory(body: JsonObject): OtherHistory {
  const { input, system, instructions, text, ...kept } = body
  const unchanged = { body }
  const given = body.messages ?? input
  if (given === undefined || given === null) return unchanged
  const { messages, places, losses } = usualMessages(given, isPresent(body.messages) ? 'messages' : 'input')
  const rules = Object.entries({ system, instructions }).flatMap(([name, content]) =>
    isList(messages) && isRule(content) ? [{ name, message: { role: 'system', content } }] : [],
  )
  const isRuled = (name: string): boolean => rules.some((rule) => rule.name === name)
  const renamed = RENAMED.filter(([name, own]) => kept[name] !== undefined && kept[own] === undefined)
  const isFormed = isObject(text) && isObject(text.format) && kept.response_format === undefined
  if (messages === body.messages && rules.length === 0 && renamed.length === 0 && !isFormed) return unchanged
  const { include, truncation, ...own } = kept
  const removed = presentMembers({ include, truncation: truncation === 'disabled' ? null : truncation })
  const others = body.messages === undefined ? own : { ...kept, ...presentMembers({ input }) }
  const named = Object.fromEntries(
    Object.entries(others).map(([name, value]) => [renamed.find(([other]) => other === name)?.[1] ?? name, value]),
  )
  const { format, verbosity } = (isObject(text) ? text : {}) as JsonObject
  const beside = { system, instructions, ...(isFormed ? {} : { text }) }
  return {
    body: {
      ...named,
      ...(isFormed ? presentMembers({ response_format: format, verbosity: kept.verbosity ?? verbosity }) : {}),
      ...Object.fromEntries(Object.entries(presentMembers(beside)).filter(([name]) => !isRuled(name))),
      messages:
        rules.length === 0 ? messages : [...rules.map(({ message }) => message), ...(messages as readonly Json[])],
    },
    form: {
      losses: body.messages === undefined ? [...losses, ...lostMembers(removed, '')] : losses,
      toGiven: toPlaces(
        rules.map(({ name }) => name),
        places,
        withGivenNames([...renamed.map(([name, own]) => [own, name] as const), ...(isFormed ? FORMED : [])]),
      ),
    },
  }
}

const FORMED = [
  ['response_format', 'text.format'],
  ['verbosity', 'text.verbosity'],
] as const

const isPresent = (value: Json | undefined): boolean => value !== undefined && value !== null
