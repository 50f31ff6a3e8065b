import type { AnswerRecord } from '../answer/answer-record.ts'
import { axisEndOf, showDuration } from './time-axis.ts'

/** The times until the first byte, until the first delta, and until the end, on the time axis of the lanes. */
export function TimesRow({ record }: { readonly record: AnswerRecord }) {
  const { firstByte, firstText, now } = record
  const byte = firstByte ?? now
  const text = firstText ?? now
  const end = axisEndOf(record)
  const parts = [
    ['wait', 0, byte],
    ['begin', byte, text],
    ['text', text, now],
  ] as const
  const label =
    firstByte === null
      ? 'No byte yet'
      : `First byte after ${showDuration(firstByte)}, first delta after ${showDuration(text)}, end after ${showDuration(now)}`
  return (
    <>
      <p class="live-row-label">
        First byte <span>{firstByte === null ? '–' : showDuration(firstByte)}</span>
      </p>
      <svg
        class="live-row-plot live-times"
        role="img"
        aria-label={label}
        viewBox="0 0 1000 8"
        preserveAspectRatio="none"
      >
        <title>{label}</title>
        {parts.map(([name, from, to]) => (
          <rect
            key={name}
            class={`live-times-${name}`}
            x={(from / end) * 1000}
            y={name === 'wait' ? 3 : 0}
            width={((to - from) / end) * 1000}
            height={name === 'wait' ? 2 : 8}
          />
        ))}
      </svg>
    </>
  )
}
