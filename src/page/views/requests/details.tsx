import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { RequestEntry } from '../../../page-api/request-entry.ts'
import { formatClient, formatCount, formatDateTime, formatMs, isPassed, stateOf, tokenRate } from './format.ts'
import { Timeline } from './timeline.tsx'

interface DetailsProps {
  readonly entry: RequestEntry
  /** Whether the server keeps the text of requests. */
  readonly hasContent: boolean
  onClose(): void
}

/** Everything that the server has of one request. */
export function RequestDetails({ entry, hasContent, onClose }: DetailsProps) {
  const { symbol, label, name } = stateOf(entry)
  const panel = useRef<HTMLElement>(null)
  // On a narrow screen, the details are above a list that may be scrolled.
  useEffect(() => panel.current?.scrollIntoView({ block: 'nearest' }), [entry.id])
  const passed = isPassed(entry)
  return (
    <aside ref={panel} class="details" aria-labelledby="details-title">
      <header>
        <h2 id="details-title">{entry.model ?? entry.path}</h2>
        <button type="button" onClick={onClose} aria-label="Close the details">
          ✕
        </button>
      </header>
      <p class={`details-state state-${name}`}>
        <span aria-hidden="true">{symbol}</span> {label}
        {entry.party !== null && ` (${entry.party})`}
      </p>
      <section aria-label="Attempts">
        <h3>{entry.attempts.length === 1 ? '1 attempt' : `${entry.attempts.length} attempts`}</h3>
        <Timeline entry={entry} />
      </section>
      <section aria-label="Request">
        <h3>Request</h3>
        <dl class="details-fields">
          <Field name="Began">{formatDateTime(entry.time)}</Field>
          <Field name="Path">{`${entry.method} ${entry.path}`}</Field>
          <Field name="Client">{`${formatClient(entry.client, entry.dialect)}${entry.stream === true ? ', streamed' : ''}`}</Field>
          <Field name="Key">{entry.key ?? 'refused'}</Field>
          <Field name="Upstream">
            {entry.vendor === null ? '–' : `${entry.vendor}/${entry.upstreamModel ?? ''} · ${entry.wire ?? ''}`}
          </Field>
          <Field name="Body">{bodyText(passed)}</Field>
          <Field name="Status">{String(entry.status ?? '–')}</Field>
          <Field name="Id">{entry.id}</Field>
        </dl>
      </section>
      <Words title="Losses" words={entry.losses} none={entry.vendor === null ? null : 'Everything was carried.'} />
      <Words title="Edits" words={entry.edits ?? []} none={null} />
      <Words title="Learned from refusals" words={entry.learned} none={null} />
      <UsageFields entry={entry} />
      {entry.content !== null && (
        <section aria-label="Content">
          <h3>Request text</h3>
          <Text text={entry.content.request} label="Request text" />
          <h3>Answer text</h3>
          <Text text={entry.content.answer ?? '–'} label="Answer text" />
        </section>
      )}
      {!hasContent && (
        <p class="details-note">The text of requests is not kept. The option page.content switches it on.</p>
      )}
    </aside>
  )
}

/** A field, because the keyboard can scroll and select its text. */
const Text = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <textarea class="details-text" readOnly rows={Math.min(12, lineCount(text))} aria-label={label} value={text} />
)

/** An estimate: lines are broken at the width of the field. */
const lineCount = (text: string): number =>
  text.split('\n').reduce((sum, line) => sum + 1 + Math.floor(line.length / 48), 0)

function bodyText(passed: boolean | null): string {
  if (passed === null) return '–'
  return passed ? 'passed through with edits' : 'translated'
}

const Field = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

interface WordsProps {
  readonly title: string
  readonly words: readonly string[]
  /** Shown if there are no words; null: nothing is shown. */
  readonly none: string | null
}

function Words({ title, words, none }: WordsProps) {
  if (words.length === 0 && none === null) return null
  return (
    <section aria-label={title}>
      <h3>{words.length === 0 ? title : `${title} (${words.length})`}</h3>
      {words.length === 0 ? (
        <p class="details-note">{none}</p>
      ) : (
        <ul class="details-words">
          {words.map((word) => (
            <li key={word}>{word}</li>
          ))}
        </ul>
      )}
    </section>
  )
}

function UsageFields({ entry }: { readonly entry: RequestEntry }) {
  const { usage } = entry
  if (usage === null) return null
  const rate = tokenRate(entry)
  return (
    <section aria-label="Usage">
      <h3>Usage</h3>
      <dl class="details-fields">
        <Field name="Input">{tokensText(usage.input_tokens, usage.cached_tokens, 'cached')}</Field>
        <Field name="Output">{tokensText(usage.output_tokens, usage.reasoning_tokens, 'reasoning')}</Field>
        {usage.cost !== undefined && <Field name="Cost">{`$${usage.cost}`}</Field>}
        {rate !== null && (
          <Field name="Rate">{`${formatCount(Math.round(rate))} tokens/s after ${formatMs(entry.firstTokenMs)}`}</Field>
        )}
      </dl>
    </section>
  )
}

const tokensText = (tokens: number | null, part: number | null, name: string): string =>
  `${formatCount(tokens)} tokens${part === null ? '' : `, ${formatCount(part)} ${name}`}`
