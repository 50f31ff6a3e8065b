import type { JsonObject } from '../../protocol/json.ts'
import { isObject, parseJson, scalarToString } from '../../text/json.ts'
import { valueAt } from '../../text/json-path.ts'
import type { Steps } from '../../text/steps.ts'
import { readError } from '../../wires/shared/upstream/answers/read-error.ts'
import { errorKindIn, withoutLeads } from '../../wires/shared/upstream/error-messages.ts'
import { ownTextOf } from './client-text.ts'
import { findMember, isEssential, memberRestrictions, settingNames, valueRestrictions } from './members.ts'
import { isSameRestriction, type Reading, type RefusalRow, type RefusedRequest, type Restriction } from './refusal.ts'
import { REFUSAL_ROWS } from './refusals.ts'
import {
  budgetIn,
  effortsAlone,
  effortsIn,
  listIn,
  outputLimitIn,
  verbositiesIn,
  withoutLevel,
} from './refused-values.ts'

// ---------------------------------------------------------------- sentences of the table

const ROWS: readonly RefusalRow[] = Object.values(REFUSAL_ROWS).flat()

const scoped = (readings: readonly Reading[], scope: Restriction['scope'] = 'model'): readonly Restriction[] =>
  readings.map((reading) => ({ scope, ...reading }))

function readRow(
  { sentence, scope, teaches }: RefusalRow,
  text: string,
  refused: RefusedRequest,
): readonly Restriction[] {
  const match = sentence.exec(text)
  if (match === null) return []
  return scoped(typeof teaches === 'function' ? teaches(match, refused) : [teaches], scope)
}

// ---------------------------------------------------------------- places

/** A member that a message is about. */
interface Place {
  /** As the message has it. */
  readonly name: string
  /** In the body that was sent, with `*` for each entry of a list. */
  readonly path: string
  /** Undefined within a list. */
  readonly sent: unknown
  /** The message names this member, whatever its other words are. */
  readonly isSure: boolean
}

/** A name or a path in quotes or in brackets, or one that no other word looks like: with a dot, `_` or a capital. */
const NAMED =
  /['"`[]([\w$][\w$.[\]-]{0,79})['"`\]]|(?<![\w.'"`])([a-zA-Z][a-zA-Z\d]{0,40}(?:[._[][\w\]]{1,40}){1,12}|[a-z]{1,40}[A-Z][a-zA-Z]{0,40})(?![\w'"`])/g

/** A plain word beside the kind of thing that it names, or as the remedy: `parameter seed`, `the seed field`, `omit seed`. */
const KIND = '(?:parameter|field|argument|property|option|setting|attribute|key|member)'
const OF_KIND = [
  new RegExp(`\\b${KIND}s?:? ([a-z]{2,30})\\b`, 'i'),
  new RegExp(`\\b([a-z]{2,30}) ${KIND}\\b`, 'i'),
  /\b(?:omit|remove|drop|leave|unset) (?:the )?([a-z]{2,30})\b/i,
] as const

/** Other places of a plain word that may be a name: `seed is not …`, `… on this model: stop`. */
const PLAIN = [
  /^([a-z]{1,30})(?:\n|:| (?:is|are|must|should|does|do|can|cannot|may|value|values)\b)/i,
  /\binvalid ([a-z]{2,30})\b/i,
  /\bnot support ([a-z]{2,30})\.?$/i,
  /: ([a-z]{2,30})\.?$/i,
] as const

/** The entry that holds a member named alone: `'messages.1' : property 'reasoning_content' is unsupported` (Groq). */
const ENTRY = /['"`]((?:messages|input|tools)[.[]\d{1,4}\]?)['"`]/

/** A name in a message that may be the one of a member. `isSure`: it can hardly be another word. */
interface FoundName {
  readonly name: string
  readonly isSure: boolean
}

/** In the order of their trust. */
function namesIn(text: string, param: string | null): readonly FoundName[] {
  const own = withoutQuotations(text)
  const named = [...text.matchAll(NAMED)].map((match) => match[1] ?? match[2] ?? '')
  const [ofKind = [], plain = []] = [OF_KIND, PLAIN].map((patterns) => patterns.map((one) => one.exec(text)?.[1] ?? ''))
  const entry = ENTRY.exec(text)?.[1]
  const inside = entry === undefined ? [] : named.map((name) => `${entry}.${name}`)
  const surely = [AT_START.exec(text)?.[1] ?? '', ...named, ...ofKind].map((name) => ({
    name,
    isSure: own.includes(name),
  }))
  const sure = (name: string): FoundName => ({ name, isSure: true })
  const maybe = (name: string): FoundName => ({ name, isSure: false })
  return [sure(param ?? ''), ...inside.map(sure), ...surely, ...plain.map(maybe)].filter(({ name }) => name !== '')
}

/** A message without the sentences that it quotes: names in quotes stay. */
const withoutQuotations = (text: string): string =>
  text.replace(/"[^"\n]{1,300}"|(?<!\w)'[^'\n]{1,300}'|`[^`\n]{1,300}`/g, (quoted) => (/\s/.test(quoted) ? '' : quoted))

/** A path before the fault. */
const AT_START = /^([a-zA-Z][\w.$/-]{0,79}): /

const placeOf = (body: JsonObject, name: string, isSure = false): Place | null => {
  const path = findMember(body, name)
  return path === null ? null : { name, path, sent: path.includes('*') ? undefined : valueAt(body, path), isSure }
}

/** Quoted values: `Unsupported value: 'max'`. */
const QUOTED = /['"`]([\w.-]{1,60})['"`]/g

/** The paths of settings with one of these values, which are in lower case. No setting lies deeper. */
function settingsWith(values: ReadonlySet<string>, value: unknown, path: string, depth: number): readonly string[] {
  if (!isObject(value)) return typeof value === 'string' && values.has(value.toLowerCase()) ? [path] : []
  return depth === 0
    ? []
    : Object.entries(value).flatMap(([name, member]) =>
        settingsWith(values, member, path === '' ? name : `${path}.${name}`, depth - 1),
      )
}

/** The only setting that has a value which the message quotes. */
function placeWithValue(text: string, body: JsonObject): Place | null {
  const values = new Set([...text.matchAll(QUOTED)].map(([, value = '']) => value.toLowerCase()))
  const [name, ...others] = settingsWith(values, body, '', 3).filter((path) => path !== 'model')
  return name === undefined || others.length > 0 ? null : placeOf(body, name)
}

/** The words of a name in camel or snake case. A single word may mean anything. */
const wordsOf = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ')

/** A setting that a message has as words: `Media resolution is not enabled` (Google). Levels are quoted with theirs. */
function placeInWords(text: string, body: JsonObject): Place | null {
  const own = text.toLowerCase()
  const name = settingNames(body).find((setting) => {
    const words = wordsOf(setting)
    return words.includes(' ') && own.includes(words) && !LEVEL.test(setting)
  })
  return name === undefined ? null : placeOf(body, name)
}

// ---------------------------------------------------------------- words

/** Text of the client may be in quotes. */
const withoutQuotes = (text: string): string => text.replace(/"[^"\n]{0,300}"|'[^'\n]{0,300}'|`[^`\n]{0,300}`/g, "''")

const IS_REFUSED =
  /\b(?:unsupported|unavailable|incompatible|deprecated|extraneous|forbidden|unknown|unrecogni[sz]ed|unexpected|disabled|extra (?:inputs?|fields?|keys?)|only (?:allowed|supported|permitted|available|accepted|valid) (?:when|if|with|for|in)\b|not (?:be )?(?:an? )?(?:currently )?(?:supported|permitted|allowed|accepted|available|enabled|recogni[sz]ed|implemented|compatible|used|set|specified|exist)|(?:rejects|declines|obsolete|discontinued|lacks support)\b|(?:is|are) (?:refused|rejected|retired|obsolete)\b|(?:was|were|has been|have been) (?:removed|retired|dropped)\b|(?:has|have) no (?:use|effect)\b|(?:left|leave \w{1,30}) out\b|takes no\b|(?:does|do)(?:n['’]t| not) (?:currently )?(?:support|accept|allow|take|have|recogni[sz]e)|(?:isn|aren)['’]t (?:supported|permitted|allowed|accepted|available|enabled)|cannot (?:find|be (?:used|set|specified|combined|applied|handled|honou?red))|cannot support|no longer)/i

/** The member itself is refused, also in a message that repeats its value. */
const IS_UNKNOWN =
  /\b(?:extra (?:inputs?|fields?|keys?)|extraneous|(?:unknown|unrecogni[sz]ed|unsupported|unexpected) (?:name|parameter|field|argument|property|key|member|keyword))\b/i

const IS_VALUED =
  /\b(?:values?|input_value|must be|(?:may|can) only be|should (?:be|have)|expected|one of|range|between|at (?:most|least)|greater|less|larger|smaller|too (?:large|long|small|short|high|low|big|many)|above|below|exceeds?|variant|longer|shorter)\b|[<>≤≥]/i

/** Not `Member must have value less than or equal to 1` (AWS). */
const IS_MISSING =
  /\b(?:required|missing|must (?:be (?:provided|specified|set|present|non-empty)|contain|include|have(?! (?:a )?(?:value|length)\b)|provide|specify))\b/i

/** Any other value is refused as well. */
const IS_ONLY =
  /\bonly (?:the default\b|[^\s,]{1,20} (?:is|value is) (?:allowed|supported|accepted)|supports? the default)/i

const WHILE_REASONING = /\b(?:thinking|reasoning)\b/i

/** Words and numbers as a message has them, without the full stop behind them. */
const wordsIn = (text: string): readonly string[] =>
  text.split(/[^\w.-]/).map((word) => (word.endsWith('.') ? word.slice(0, -1) : word))

const isValueNamed = (text: string, { sent }: Place): boolean =>
  (typeof sent === 'string' && sent !== '' && sent.length <= 60 && text.includes(sent)) ||
  (typeof sent === 'number' && wordsIn(text).includes(String(sent)))

// ---------------------------------------------------------------- kinds of members

const LIMIT = /(?:^|\.)(?:max_?(?:completion_|output_|new_)?tokens|max(?:Output|Completion)?Tokens|num_predict)$/i
const BUDGET = /(?:budget_tokens|thinking_?budget)$/i
const LEVEL = /(?:effort|thinking_?level|^think)$/i
const VERBOSITY = /(?:^|\.)verbosity$/
const CHOICE = /^(?:tool_choice|toolChoice|toolConfig(?:\.toolChoice.*)?)$/

function readLevel(text: string, refused: RefusedRequest, { name, path, sent }: Place): readonly Reading[] {
  const level = typeof sent === 'string' ? sent.toLowerCase() : ''
  const read = path.endsWith('output_config.effort') ? effortsAlone : effortsIn
  const listed = read(listIn(text), level)
  if (listed.length > 0) return listed
  const single = text.toLowerCase().includes(level) ? withoutLevel(level) : []
  if (single.length > 0) return single
  return IS_REFUSED.test(withoutQuotes(text)) ? memberRestrictions(name, refused) : valueRestrictions(name, refused)
}

/** A choice that forces a call is refused. */
function readChoice(text: string, { sent }: Place): readonly Reading[] {
  const forces = isObject(sent) ? sent.type !== 'auto' && sent.type !== 'none' : sent !== 'auto' && sent !== 'none'
  if (!forces || !IS_REFUSED.test(withoutQuotes(text))) return []
  return [{ facts: { forcedWhileReasoning: 'none', ...(WHILE_REASONING.test(text) ? {} : { forcedTools: 'none' }) } }]
}

/** Words before the case in which a member is refused: `cannot be set for empty text blocks`. */
const IN_CASES = /\b(?:for|when|while|within|inside|beside|with)\b/i

/** A refusal that does not say which entries it is about may be about some of them only. */
const isOfSomeEntries = (text: string, { name, path }: Place): boolean =>
  path.includes('*') && !/[.[]/.test(name) && IN_CASES.test(text.replace(FOR_ALL, ''))

/** Words that name who refuses a member, and no case. */
const FOR_ALL =
  /\b(?:for|with|within|on) (?:(?:this|the|your) )?(?:(?!non|stream|batch|async|free|paid|plan|\w{0,20}-?tier)[\w-]{1,30} ){0,2}(?:models?|deployment|endpoint|provider|platform|account|organi[sz]ation|project|region|api)\b(?! tier)/gi

/** Words before another setting, a kind of request or a plan: the model accepts the member without them. */
const ON_CONDITION =
  /\b(?:when|while|if|unless|without(?! it\b)|(?<!by )together|(?:\w{1,20}e[dt]|available|(?:in)?compatible|exclusive(?:ly)?) with|support \w{1,30} with|alongside|in con?\w{5,10} with|mutually exclusive|at the same time)\b|(?<![\w.'"`])(?:tier|plan|mode|batch|async|free|paid)\b|\b(?:for|on) (?:[\w-]{1,30} ){0,3}(?:requests?|calls?|tools?|functions?|messages?|stream(?:s|ing)?)\b/i

/** The model: a word with a number, or in quotes beside `model`. Its version, and its use. Nothing follows it. */
const BY_NAME =
  /\b(?:with|for|by|in|on) (?:the )?(?:['"`]?[\w./:-]{0,60}\d[\w./:-]{0,60}['"`]?(?: model)?|['"`][\w./:-]{1,60}['"`] model|this version)(?![\w-]| \w)|\b(?:when|while) using (?:this|the) model\b|\bfor requests to this model\b/gi

/** A sentence of advice. */
const HELP =
  /^\s{0,9}(?:if you|please(?! (?:only )?use)|for (?:more|help)|to (?:learn|fix)|see|contact|try|visit|learn)\b/i

/** Whether a refusal is about other settings of the request, or about whom it is from. */
function isOnCondition(text: string, { model }: JsonObject): boolean {
  // A name without a hyphen may be part of other words.
  const name = scalarToString(model).split('/').at(-1) ?? ''
  const known = name.includes('-') ? text.replaceAll(name, 'model-1') : text
  return known
    .split(/(?<=[a-z'"`)])\. |\n/)
    .some(
      (sentence, at) =>
        (at === 0 || !HELP.test(sentence)) && ON_CONDITION.test(sentence.replace(FOR_ALL, '').replace(BY_NAME, '')),
    )
}

/** A setting: the member itself is refused, or its value. */
function readSetting(text: string, refused: RefusedRequest, place: Place): readonly Reading[] {
  const own = withoutQuotes(text)
  const isRefused = IS_REFUSED.test(own)
  if (IS_MISSING.test(own) && !isRefused) return []
  if (IS_ONLY.test(text)) return memberRestrictions(place.name, refused)
  const isSometimes = isOfSomeEntries(own, place) || isOnCondition(text, refused.body)
  const isAlways = isRefused && !isValueNamed(text, place) && !isSometimes
  if (isAlways || (IS_UNKNOWN.test(own) && !isSometimes)) return memberRestrictions(place.name, refused)
  const isRead = isRefused || IS_VALUED.test(own) || /\binvalid\b/i.test(own) || isAboutMember(own, place)
  return isRead ? valueRestrictions(place.name, refused) : []
}

/** Members that identify a user. A refused one is not left out for words that are not known: it may be blocked. */
const IDENTITIES = /(?:^|\.)(?:user|user_?id|safety_?identifier|metadata|labels|request_?metadata)(?:$|\.)/i
const IS_POLICY = /\b(?:safety|polic(?:y|ies)|flagged|moderat\w{1,10}|harmful|blocked|abus\w{1,5})\b/i

/**
 * A refusal that names a setting of the body is about it, in whatever words. What it means for others is not known: the
 * setting is left out of this request.
 */
const isAboutMember = (text: string, { path, isSure }: Place): boolean =>
  isSure && !IDENTITIES.test(path) && !IS_POLICY.test(text) && errorKindIn(text) === null

function readPlace(text: string, refused: RefusedRequest, place: Place): readonly Reading[] {
  const { path, sent } = place
  if (LIMIT.test(path)) return typeof sent === 'number' ? outputLimitIn(text, sent) : []
  if (BUDGET.test(path)) return typeof sent === 'number' ? budgetIn(text, sent) : []
  if (CHOICE.test(path)) return readChoice(text, place)
  if (isEssential(path)) return []
  if (LEVEL.test(path)) return readLevel(text, refused, place)
  const listed = VERBOSITY.test(path) ? verbositiesIn(listIn(text), typeof sent === 'string' ? sent : '') : []
  return listed.length > 0 ? listed : readSetting(text, refused, place)
}

/**
 * The first member of the body that a message names decides; else the only setting with a value that it quotes, or one
 * that it has as words.
 */
function readNames(text: string, refused: RefusedRequest): readonly Restriction[] {
  const { body, param } = refused
  for (const { name, isSure } of namesIn(text, param)) {
    const place = placeOf(body, name, isSure)
    if (place !== null) return scoped(readPlace(text, refused, place))
  }
  const valued = placeWithValue(text, body) ?? placeInWords(text, body)
  return valued === null ? [] : scoped(readPlace(text, refused, valued))
}

// ---------------------------------------------------------------- messages

/** Words that some servers put before the vendor's own sentence. */
const PREAMBLE =
  /^(?:the model returned the following errors?: |HTTP \d{3}: |litellm\.\w{1,40}: |\w{1,40}Error: |\w{1,40}Exception(?: - |: )|provider returned error: ){0,4}/i

/** UTF-16 units: vendors name the fault first. */
const LONGEST = 1000

/** Validation errors of pydantic that a server prints: `[{'loc': ('body', 'top_k'), 'msg': 'Extra inputs …'}]`. */
const LOC = /['"]loc['"]: ?[([]([^)\]\n]{1,200})[)\]]/
const MSG = /['"]msg['"]: ?(?:'([^'\n]{1,300})'|"([^"\n]{1,300})")/

function printedError(text: string): string | null {
  const steps = LOC.exec(text)?.[1]
    ?.match(/[\w-]+/g)
    ?.filter((step, at) => at > 0 || step !== 'body')
  const message = MSG.exec(text)
  return steps === undefined || message === null ? null : `${steps.join('.')}: ${message[1] ?? message[2]}`
}

/** The faults that a server prints as one list of texts: `["At body -> top_k -> Input should be …"]` (Perplexity). */
function printedList(text: string): string | null {
  const list = text.startsWith('["') ? parseJson(text) : undefined
  if (!Array.isArray(list) || !list.every((one) => typeof one === 'string')) return null
  return list.map((one: string) => one.replace(STEPS, asPath)).join('\n')
}

const STEPS = /^At body((?: -> [\w$-]{1,60}){1,12}) -> /

const asPath = (_: string, steps: string): string => `${steps.slice(' -> '.length).replaceAll(' -> ', '.')}: `

/** A server may print the whole error of another one into its message. */
function withInnerError(refused: RefusedRequest): RefusedRequest {
  const start = refused.text.indexOf('{"')
  const inner = start < 0 ? undefined : parseJson(refused.text.slice(start, refused.text.lastIndexOf('}') + 1))
  const { text, param } = readError(inner)
  return text === null ? refused : { ...refused, text, param: refused.param ?? param }
}

const pointOf = (text: string): string => (printedError(text) ?? text.slice(0, LONGEST)).replace(PREAMBLE, '').trim()

/** The message of a template, behind the place in its source (llama.cpp). */
const RAISED = /\bJinja Exception: ([^\n]{1,300})/

/** The message as a server may have put it into another one, with and without its first words. */
const textsOf = (message: string): readonly string[] => {
  const point = pointOf(message)
  const raised = RAISED.exec(point)?.[1]
  return [...new Set([...(raised === undefined ? [] : [raised]), point, withoutLeads(point)])]
}

const firstOf = <From>(list: readonly From[], read: (one: From) => readonly Restriction[]): readonly Restriction[] => {
  for (const one of list) {
    const restrictions = read(one)
    if (restrictions.length > 0) return restrictions
  }
  return []
}

/** `words`: the message in which members are looked for, if it is another one. */
const read = (refused: RefusedRequest, words: string = refused.text): readonly Restriction[] => {
  const restrictions = firstOf(textsOf(refused.text), (text) => firstOf(ROWS, (row) => readRow(row, text, refused)))
  return restrictions.length > 0 || refused.isRefusal === false
    ? restrictions
    : firstOf(textsOf(words), (text) => readNames(text, refused))
}

/**
 * Reads a refusal of an upstream, in slices: by the sentences of the table, else by the members and values of the body
 * that it names. Empty: it shows nothing that a request could be fitted to. A restriction that depends on words of the
 * client, which the upstream quotes, is for its request only.
 */
export function* learnFrom(given: RefusedRequest): Steps<readonly Restriction[]> {
  const received = { ...given, text: printedList(given.text) ?? given.text }
  const lines = received.text.split('\n', MOST_LINES)
  if (lines.length === 1 || !lines.every((line) => DETAIL.test(line))) return yield* learnFromOne(received)
  const all: Restriction[] = []
  for (const text of lines) {
    const found = yield* learnFromOne({ ...received, text, param: null })
    all.push(...found.filter((one) => !all.some((other) => isSameRestriction(one, other))))
  }
  return all
}

/** A validator lists all faults, one a line: `body.seed: Extra inputs are not permitted`. */
const DETAIL = /^[\w$][\w$.[\]-]{0,199}: \S/
const MOST_LINES = 8

function* learnFromOne(received: RefusedRequest): Steps<readonly Restriction[]> {
  const refused = withInnerError(received)
  const restrictions = read(refused)
  if (restrictions.every(({ scope }) => scope === 'request')) return restrictions
  const own = yield* ownTextOf(refused)
  const certain = read({ ...refused, text: own.phrases }, own.words)
  return restrictions.map((restriction) =>
    certain.some((one) => isSameRestriction(one, restriction))
      ? restriction
      : { ...restriction, scope: 'request' as const },
  )
}
