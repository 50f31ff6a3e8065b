import { useMemo } from 'preact/hooks'
import type { ExplainedUpstream, TargetExplanation } from '../../../page-api/explanations.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { BodyDiff } from './body-diff.tsx'
import type { BodyNote } from './diff/row-notes.ts'
import { byteLength, countNoun, formatBytes } from './sizes.ts'
import { formatShare, targetId } from './summary-table.tsx'

interface CardProps {
  readonly target: TargetExplanation
  readonly client: JsonObject
  readonly isOpen: boolean
  readonly onToggle: () => void
  /** The name of the model that the user has entered; empty for the one of the request. */
  readonly model: string
  readonly onModel: (model: string) => void
}

/** One wire of a vendor: a line, and everything about its request below it while it is open. */
export function TargetCard({ target, client, isOpen, onToggle, model, onModel }: CardProps) {
  const { vendor, wire, isRouted, result } = target
  const id = targetId(target)
  return (
    <section class="explain-card" aria-labelledby={`${id}-title`} id={id}>
      <h2 id={`${id}-title`}>
        <button type="button" class="disclosure" aria-expanded={isOpen} onClick={onToggle}>
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> {vendor} <span class="soft">{wire}</span>
          {isRouted && <span class="tag accent">chosen</span>}
          <span class="digest">{digestOf(result)}</span>
        </button>
      </h2>
      {isOpen && (
        <div class="explain-details">
          <div class="explain-facts">
            <label>
              Model{' '}
              <input
                value={model}
                placeholder={result.ok ? result.model : 'of the request'}
                spellcheck={false}
                onChange={(event) => onModel(event.currentTarget.value.trim())}
              />
            </label>
            {result.ok && <Facts explanation={result} />}
          </div>
          {result.ok ? <Details explanation={result} client={client} /> : <Refusal {...result.error} />}
        </div>
      )}
    </section>
  )
}

function digestOf(result: TargetExplanation['result']): string {
  if (!result.ok) return `refused: ${result.error.code}`
  const { isPassed, losses, complaints } = result
  return [
    isPassed ? 'passed on' : 'translated',
    losses.length === 0 ? 'no losses' : countNoun(losses.length, 'loss', 'losses'),
    ...(complaints.length === 0 ? [] : [countNoun(complaints.length, 'problem')]),
  ].join(' · ')
}

const Refusal = (error: { readonly status: number; readonly code: string; readonly message: string }) => (
  <p class="notice error">
    {error.status} {error.code}: {error.message}
  </p>
)

/** How the body came about, and its address. */
function Facts({ explanation }: { readonly explanation: ExplainedUpstream }) {
  const { upstream, isPassed, edits, path, headers, sharedPrefix } = explanation
  const text = useMemo(() => JSON.stringify(upstream), [upstream])
  const done = edits === null || edits.length === 0 ? 'without edits' : `with edits: ${edits.join(', ')}`
  return (
    <>
      <code>POST …{path}</code>
      {Object.entries(headers).map(([name, value]) => (
        <code key={name}>
          {name}: {value}
        </code>
      ))}
      <span>{isPassed ? `Passed on ${done}` : 'Translated'}</span>
      <span>{formatBytes(byteLength(text))}</span>
      <button type="button" onClick={() => navigator.clipboard.writeText(JSON.stringify(upstream, null, 2))}>
        Copy upstream's body
      </button>
      {sharedPrefix !== null && <Prefix {...sharedPrefix} />}
    </>
  )
}

type PrefixProps = NonNullable<ExplainedUpstream['sharedPrefix']>

/** The beginning of the prompt that the last request had, of which a part is cached. */
function Prefix(prefix: PrefixProps) {
  const { bytes, total, cached, differsAt } = prefix
  const share = (part: number): string => `${total === 0 ? 0 : (100 * part) / total}%`
  return (
    <div class="explain-prefix">
      <span>Shared with the last request</span>
      <span class="bar" role="img" aria-label={`${formatShare(prefix)} of the prompt`}>
        <span class="shared" style={{ width: share(bytes) }} />
        <span class="cached" style={{ width: share(cached) }} />
      </span>
      <span>
        {formatBytes(bytes)} of {formatBytes(total)} ({formatShare(prefix)}), from the cache {formatBytes(cached)}
      </span>
      {differsAt !== null && (
        <span>
          up to <code>{differsAt}</code>
        </span>
      )}
    </div>
  )
}

function Details({ explanation, client }: { readonly explanation: ExplainedUpstream; readonly client: JsonObject }) {
  const notes = useMemo(() => notesOf(explanation), [explanation])
  return <BodyDiff client={client} upstream={explanation.upstream} origins={explanation.origins} notes={notes} />
}

const notesOf = ({ losses, complaints, breakpoints }: ExplainedUpstream): readonly BodyNote[] => [
  ...losses.map(({ path, action, why }): BodyNote => ({ kind: 'loss', side: 'left', path, text: `${action}: ${why}` })),
  ...complaints.map(({ path, message }): BodyNote => ({ kind: 'problem', side: 'right', path, text: message })),
  ...breakpoints.map(
    ({ path, ttl, setBy, clientPath }): BodyNote => ({
      kind: 'breakpoint',
      side: 'right',
      path,
      text: `${setBy === 'client' ? `by the client${clientPath === null ? '' : ` at ${clientPath}`}` : 'by the cache policy'}, lifetime ${ttl ?? 'of the upstream'}`,
    }),
  ),
]
