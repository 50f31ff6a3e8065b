import { useMemo, useState } from 'preact/hooks'
import type { ExplainQuery, ExplainTarget } from '../../../page-api/explanations.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { findJsonProblem } from '../../json-problem.ts'
import type { PageServer } from '../../server.ts'
import { hasModelInPath } from './protocols.ts'
import { RequestEditor } from './request-editor.tsx'
import { RequestToolbar } from './request-toolbar.tsx'
import { type DraftRequest, useSavedRequest } from './saved-request.ts'
import { SummaryTable, targetId } from './summary-table.tsx'
import { TargetCard } from './target-card.tsx'
import { TargetMenu } from './target-menu.tsx'
import { type Explained, type Explaining, useExplanations } from './use-explanations.ts'
import './view.css'

/** A request body, and its form for each wire of each vendor. */
export function ExplainView({ server }: { readonly server: PageServer }) {
  const { request, isDamaged, change } = useSavedRequest()
  return (
    <section class="view explain" aria-labelledby="explain-title">
      <h1 id="explain-title" class="hidden">
        Explain
      </h1>
      {isDamaged && (
        <p class="notice error" role="alert">
          The request in this link cannot be read: the link may have been cut. An example stands in its place.
        </p>
      )}
      {request !== null && <ExplainedRequest server={server} request={request} onChange={change} />}
    </section>
  )
}

/** The names of models that the user has entered, by target. */
type Models = Readonly<Record<string, string>>

interface RequestProps {
  readonly server: PageServer
  readonly request: DraftRequest
  readonly onChange: (request: DraftRequest) => void
}

function ExplainedRequest({ server, request, onChange }: RequestProps) {
  const { text } = request
  const [targets, setTargets] = useState<readonly ExplainTarget[] | null>(null)
  const [models, setModels] = useState<Models>({})
  const [open, setOpen] = useState<ReadonlySet<string> | null>(null)
  const problem = useMemo(() => findJsonProblem(text), [text])
  const explaining = useExplanations(server, problem === null ? toQuery(request, targets, models) : null)
  const { last } = explaining
  const explanations = last?.answer.explanations ?? []
  // The first card is open until the user opens or closes one.
  const shown = open ?? new Set(explanations.slice(0, 1).map(targetId))
  const toggle = (id: string): void => {
    const next = new Set(shown)
    if (!next.delete(id)) next.add(id)
    setOpen(next)
  }
  const setModel = (id: string, model: string): void => {
    setTargets(targets ?? explanations)
    setModels({ ...models, [id]: model })
  }
  return (
    <>
      <div class="explain-request">
        <div class="explain-source">
          <RequestToolbar request={request} isJson={problem === null} onChange={onChange} />
          <RequestEditor text={text} problem={problem} onInput={(text) => onChange({ ...request, text })} />
        </div>
        <div class="explain-overview">
          <div class="explain-bar">
            {last !== null && (
              <TargetMenu known={last.answer.known} chosen={targets ?? explanations} onChoose={setTargets} />
            )}
            <Status {...explaining} isJson={problem === null} />
          </div>
          <SummaryTable
            explanations={explanations}
            onJump={(target) => {
              setOpen(new Set([...shown, targetId(target)]))
              moveTo(targetId(target))
            }}
          />
        </div>
      </div>
      {last !== null && <Cards last={last} shown={shown} models={models} onToggle={toggle} onModel={setModel} />}
    </>
  )
}

function toQuery(
  { client, model, text, previous }: DraftRequest,
  targets: readonly ExplainTarget[] | null,
  models: Models,
): ExplainQuery {
  const named = targets?.map(({ vendor, wire }) => {
    const model = models[targetId({ vendor, wire })] ?? ''
    return { vendor, wire, ...(model === '' ? {} : { model }) }
  })
  return {
    client,
    body: text,
    ...(model === '' || !hasModelInPath(client) ? {} : { model }),
    ...(previous === '' ? {} : { previous }),
    ...(named === undefined ? {} : { targets: named }),
  }
}

/** Moves the focus to the title of a card once it is open. */
function moveTo(id: string): void {
  setTimeout(() => {
    const card = document.getElementById(id)
    card?.scrollIntoView({ block: 'start' })
    card?.querySelector('button')?.focus({ preventScroll: true })
  })
}

function Status({ problem, isBusy, last, isJson }: Explaining & { readonly isJson: boolean }) {
  if (problem !== null) return <span class="error">{problem}</span>
  const text = !isJson
    ? 'The body is not JSON. The last explanation is shown.'
    : isBusy && last === null
      ? 'Explaining …'
      : ''
  return (
    <span role="status" class="soft">
      {text}
    </span>
  )
}

interface CardsProps {
  readonly last: Explained
  readonly shown: ReadonlySet<string>
  readonly models: Models
  readonly onToggle: (id: string) => void
  readonly onModel: (id: string, model: string) => void
}

function Cards({ last, shown, models, onToggle, onModel }: CardsProps) {
  const client = useMemo(() => JSON.parse(last.query.body) as JsonObject, [last.query.body])
  return (
    <>
      {last.answer.explanations.map((target) => {
        const id = targetId(target)
        return (
          <TargetCard
            key={id}
            target={target}
            client={client}
            isOpen={shown.has(id)}
            onToggle={() => onToggle(id)}
            model={models[id] ?? ''}
            onModel={(model) => onModel(id, model)}
          />
        )
      })}
    </>
  )
}
