import { useMemo, useState } from 'preact/hooks'
import type { ExplainQuery, ExplainTarget, TargetExplanation } from '../../../page-api/explanations.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { isObject } from '../../../text/json.ts'
import type { PageServer } from '../../server.ts'
import './view.css'
import { findJsonProblem } from './json-problem.ts'
import { RequestEditor } from './request-editor.tsx'
import { RequestToolbar } from './request-toolbar.tsx'
import { useSavedRequest, type EditedRequest } from './saved-request.ts'
import { SummaryTable, targetId } from './summary-table.tsx'
import { TargetCard } from './target-card.tsx'
import { TargetMenu } from './target-menu.tsx'
import { type Explained, useExplanations } from './use-explanations.ts'

/** A request body, and what it becomes for each wire of each vendor. */
export function ExplainView({ server }: { readonly server: PageServer }) {
  const [request, setRequest] = useSavedRequest()
  return (
    <section class="view explain" aria-labelledby="explain-title">
      <h1 id="explain-title">Explain</h1>
      {request !== null && <ExplainedRequest server={server} request={request} onChange={setRequest} />}
    </section>
  )
}

interface RequestProps {
  readonly server: PageServer
  readonly request: EditedRequest
  readonly onChange: (request: EditedRequest) => void
}

function ExplainedRequest({ server, request, onChange }: RequestProps) {
  const { client, text, previous } = request
  const [targets, setTargets] = useState<readonly ExplainTarget[] | null>(null)
  const [models, setModels] = useState<Readonly<Record<string, string>>>({})
  const problem = useMemo(() => findJsonProblem(text), [text])
  const query = problem === null ? toQuery(request, targets, models) : null
  const { last, problem: failure, isBusy } = useExplanations(server, query)
  return (
    <>
      <div class="explain-request">
        <div>
          <RequestToolbar request={request} canKeep={problem === null} onChange={onChange} />
          <RequestEditor text={text} problem={problem} onInput={(text) => onChange({ client, text, previous })} />
        </div>
        <div class="explain-overview">
          <div class="explain-bar">
            {last !== null && (
              <TargetMenu
                known={last.answer.known}
                chosen={targets ?? last.answer.explanations}
                onChoose={setTargets}
              />
            )}
            <span role="status" class={failure === null ? 'soft' : 'error'}>
              {failure ?? stateOf(isBusy, problem !== null, last)}
            </span>
          </div>
          {last !== null && <SummaryTable explanations={last.answer.explanations} onJump={jumpTo} />}
        </div>
      </div>
      {last !== null && (
        <Cards last={last} models={models} onModel={(id, model) => setModels({ ...models, [id]: model })} />
      )}
    </>
  )
}
