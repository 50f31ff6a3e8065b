import type { AttemptEntry, RequestEntry } from '../../../page-api/request-entry.ts'
import { formatMs } from './format.ts'

const WIDTH = 1000
const ROW = 24
const BAR = 10

interface Mark {
  readonly name: string
  readonly ms: number
}

/** The attempts of a request as bars on one scale, with the times of the upstream's head and of the first token. */
export function Timeline({ entry }: { readonly entry: RequestEntry }) {
  const { attempts } = entry
  const end = lengthOf(entry)
  const scale = (ms: number): number => (ms / end) * WIDTH
  const marks: readonly Mark[] = [
    { name: 'upstream head', ms: entry.upstreamMs },
    { name: 'first byte', ms: entry.firstByteMs },
    { name: 'first token', ms: entry.firstTokenMs },
    { name: 'end', ms: entry.durationMs },
  ]
    .flatMap(({ name, ms }) => (ms === null ? [] : [{ name, ms }]))
    .sort((one, other) => one.ms - other.ms)
  const height = Math.max(1, attempts.length) * ROW
  return (
    <div class="timeline">
      {/* The lists below contain the same as text. */}
      <svg viewBox={`0 0 ${WIDTH} ${height}`} preserveAspectRatio="none" height={height} aria-hidden="true">
        <line class="timeline-axis" x1="0" x2={WIDTH} y1={height - 0.5} y2={height - 0.5} />
        {attempts.map((attempt, at) => (
          <AttemptBar key={at} attempt={attempt} top={at * ROW + (ROW - BAR) / 2} end={end} scale={scale} />
        ))}
        {marks
          .filter(({ name }) => name !== 'end')
          .map(({ name, ms }) => (
            <line key={name} class="timeline-mark" x1={scale(ms)} x2={scale(ms)} y1="0" y2={height} />
          ))}
      </svg>
      <ol class="timeline-attempts">
        {attempts.map((attempt, at) => (
          <li key={at} class={attempt.error === null ? '' : 'failed'}>
            <span>{`${attempt.vendor}/${attempt.model}`}</span>
            <span>{outcomeOf(attempt, entry.running)}</span>
            <span class="number">{spanOf(attempt)}</span>
            {attempt.message !== null && <q class="timeline-message">{attempt.message}</q>}
          </li>
        ))}
      </ol>
      <dl class="timeline-marks">
        {marks.map(({ name, ms }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{formatMs(ms)}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

interface BarProps {
  readonly attempt: AttemptEntry
  readonly top: number
  readonly end: number
  scale(ms: number): number
}

function AttemptBar({ attempt: { startMs, endMs, error }, top, end, scale }: BarProps) {
  if (startMs === null) return null
  const width = Math.max(2, scale((endMs ?? end) - startMs))
  const kind = error !== null ? 'failed' : endMs === null ? 'running' : 'done'
  return <rect class={`timeline-bar ${kind}`} x={scale(startMs)} y={top} width={width} height={BAR} />
}

/** The milliseconds that the scale covers. */
function lengthOf({ attempts, durationMs, firstTokenMs, upstreamMs }: RequestEntry): number {
  const known = [durationMs, firstTokenMs, upstreamMs, ...attempts.flatMap(({ startMs, endMs }) => [startMs, endMs])]
  return Math.max(1, ...known.map((ms) => ms ?? 0))
}

function outcomeOf({ error, skipped, endMs }: AttemptEntry, running: boolean): string {
  if (skipped) return `skipped: ${error ?? ''}`
  if (error !== null) return error
  return endMs === null && running ? 'running' : 'answered'
}

const spanOf = ({ startMs, endMs }: AttemptEntry): string =>
  startMs === null || endMs === null ? '–' : formatMs(endMs - startMs)
