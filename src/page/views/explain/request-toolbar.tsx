import { EXAMPLES, requestBefore } from './examples.ts'
import { CLIENT_PROTOCOLS, hasModelInPath } from './protocols.ts'
import type { EditedRequest } from './saved-request.ts'
import { byteLength, formatBytes } from './sizes.ts'

interface ToolbarProps {
  readonly request: EditedRequest
  readonly isJson: boolean
  readonly onChange: (request: EditedRequest) => void
}

const write = (body: unknown): string => JSON.stringify(body, null, 2)

/** The examples, the protocol of the client, and the request with which the next one is compared. */
export function RequestToolbar({ request, isJson, onChange }: ToolbarProps) {
  const { client, model, text, previous } = request
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
          <select value={client} onChange={(event) => onChange({ ...request, client: event.currentTarget.value })}>
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
        <button
          type="button"
          disabled={!isJson}
          onClick={() => onChange({ ...request, text: write(JSON.parse(text)) })}
        >
          Format
        </button>
      </div>
      <div class="explain-bar">
        <button type="button" disabled={!isJson} onClick={() => onChange({ ...request, previous: text })}>
          Keep as last request
        </button>
        {previous === '' ? (
          <span class="soft">No last request: keep one to see the prefix that the next one shares with it.</span>
        ) : (
          <>
            <span class="soft">Last request: {formatBytes(byteLength(previous))}</span>
            <button type="button" onClick={() => onChange({ ...request, previous: '' })}>
              Remove
            </button>
          </>
        )}
      </div>
    </>
  )
}
