import { useMemo } from 'preact/hooks'
import { RESPONSES_WIRE } from '../../../wires/contract.ts'
import { detectClient } from '../../../wires/detect-client.ts'
import { EXAMPLES, requestBefore } from './examples.ts'
import { CLIENT_PROTOCOLS, hasModelInPath, isClientProtocol } from './protocols.ts'
import type { DraftRequest } from './saved-request.ts'
import { byteLength, formatBytes } from './sizes.ts'

interface ToolbarProps {
  readonly request: DraftRequest
  readonly isJson: boolean
  readonly onChange: (request: DraftRequest) => void
}

const write = (body: unknown): string => JSON.stringify(body, null, 2)

/** The examples, the protocol of the client, and the request with which the next one is compared. */
export function RequestToolbar({ request, isJson, onChange }: ToolbarProps) {
  const { client, model, text } = request
  const likely = useMemo(() => (isJson ? likelyClient(text, client) : null), [text, client, isJson])
  const shown = EXAMPLES.find((one) => one.client === client && write(one.body) === text)
  const take = (name: string): void => {
    const example = EXAMPLES.find((one) => one.name === name)
    if (example === undefined) return
    const before = requestBefore(example)
    const { client, model = '', body } = example
    onChange({ client, model, text: write(body), previous: before === null ? '' : write(before) })
  }
  return (
    <>
      <div class="explain-bar">
        <label>
          Example{' '}
          <select value={shown?.name ?? ''} onChange={(event) => take(event.currentTarget.value)}>
            <option value="">choose …</option>
            {EXAMPLES.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <label>
          Client protocol{' '}
          <select
            value={client}
            onChange={(event) => onChange({ ...request, client: event.currentTarget.value, previous: '' })}
          >
            {CLIENT_PROTOCOLS.map(([name, title]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
        {hasModelInPath(client) && (
          <label>
            Model{' '}
            <input
              value={model}
              spellcheck={false}
              onInput={(event) => onChange({ ...request, model: event.currentTarget.value.trim() })}
            />
          </label>
        )}
      </div>
      <TextBar request={request} isJson={isJson} onChange={onChange} />
      {likely !== null && (
        <p class="explain-hint" role="status">
          The body looks like {titleOf(likely)}.
          <button type="button" onClick={() => onChange({ ...request, client: likely, previous: '' })}>
            Use {titleOf(likely)}
          </button>
        </p>
      )}
    </>
  )
}

/** Formats the text, or keeps it as the last request. */
function TextBar({ request, isJson, onChange }: ToolbarProps) {
  const { text, previous } = request
  return (
    <div class="explain-bar">
      <button type="button" disabled={!isJson} onClick={() => onChange({ ...request, text: write(JSON.parse(text)) })}>
        Format
      </button>
      <button type="button" disabled={!isJson} onClick={() => onChange({ ...request, previous: text })}>
        Keep as last request
      </button>
      {previous === '' ? (
        <span class="soft">to compare the next prompt with it</span>
      ) : (
        <>
          <span class="soft">Last request: {formatBytes(byteLength(previous))}</span>
          <button type="button" onClick={() => onChange({ ...request, previous: '' })}>
            Clear
          </button>
        </>
      )}
    </div>
  )
}

const titleOf = (client: string): string => CLIENT_PROTOCOLS.find(([name]) => name === client)?.[1] ?? client

/** The protocol of the body, if it is another one than the chosen one; null if it is not certain. */
function likelyClient(text: string, chosen: string): string | null {
  const wire = detectClient(JSON.parse(text))
  const client = wire === RESPONSES_WIRE ? 'openai' : wire
  const isChosen = client === chosen || (wire === RESPONSES_WIRE && chosen === 'beta')
  return client === null || isChosen || !isClientProtocol(client) ? null : client
}
