import type { AnswerRecord } from '../answer/answer-record.ts'
import type { LiveSession } from '../live-session.ts'
import { showDuration } from './time-axis.ts'

const number = new Intl.NumberFormat('en')

/** The figures of an answer, and its times as one bar. */
export function AnswerSummary({ session }: { readonly session: LiveSession }) {
  const { record, head, problem, phase } = session
  return (
    <section class="live-summary" aria-label="Summary of the answer">
      <p class="live-state" role="status">
        <span class={`live-badge live-badge-${badgeOf(session)}`}>{stateOf(session)}</span>
        {record.model !== '' && <span>{record.model}</span>}
        {head !== null && <span>HTTP {head.status}</span>}
      </p>
      {problem !== null && (
        <p class="live-problem" role="alert">
          <strong>{problem.title}.</strong> {problem.message}
        </p>
      )}
      {problem === null && record.failure !== null && (
        <p class="live-problem" role="alert">
          <strong>{record.failure.code}.</strong> {record.failure.message}
        </p>
      )}
      {head !== null && head.losses !== '' && (
        <p class="live-losses">
          <strong>Not carried to the upstream:</strong> {head.losses}
        </p>
      )}
      <dl class="live-figures">
        {figuresOf(record, phase === 'over' && record.lanes.length === 0).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const WORDS = { completed: 'completed', incomplete: 'incomplete', failed: 'failed', cut: 'cut off', stopped: 'stopped' }

function stateOf({ phase, problem, record }: LiveSession): string {
  if (phase === 'waiting') return 'waiting'
  if (phase === 'streaming') return 'streaming'
  if (problem !== null) return 'failed'
  return record.ending === null ? 'over' : WORDS[record.ending]
}

function badgeOf(session: LiveSession): 'good' | 'bad' | 'open' {
  if (session.phase !== 'over') return 'open'
  return session.problem === null && session.record.ending === 'completed' ? 'good' : 'bad'
}

/** All figures have their places, unless the answer is known to have no item: then only those that it has are shown. */
function figuresOf(record: AnswerRecord, isEmpty: boolean): readonly (readonly [string, string])[] {
  const { firstByte, firstText, now, frames, bytes, ticks, usage } = record
  const characters = record.lanes.reduce((sum, { size }) => sum + size, 0)
  const seconds = (now - (firstText ?? now)) / 1000
  const perSecond = (amount: number): string => (seconds < 0.05 ? '–' : number.format(Math.round(amount / seconds)))
  const output = usage?.output_tokens ?? null
  const count = (value: number | null | undefined): string =>
    value === null || value === undefined ? '–' : number.format(value)
  const figures: readonly (readonly [string, string])[] = [
    ['First byte', firstByte === null ? '–' : showDuration(firstByte)],
    ['First delta', firstText === null ? '–' : showDuration(firstText)],
    ['Duration', showDuration(now)],
    ['Frames', number.format(frames.length)],
    ['Deltas', number.format(ticks.length)],
    ['Received', showBytes(bytes)],
    ['Characters', number.format(characters)],
    ['Characters/s', perSecond(characters)],
    ['Tokens in', count(usage?.input_tokens)],
    ['Tokens out', count(output)],
    ['Reasoning', count(usage?.reasoning_tokens)],
    ['Tokens/s', output === null ? '–' : perSecond(output)],
  ]
  return isEmpty ? figures.filter(([, value]) => value !== '–' && value !== '0') : figures
}

function showBytes(bytes: number): string {
  if (bytes < 10_000) return `${number.format(bytes)} B`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
