import { useEffect, useState } from 'preact/hooks'
import { parseAddress, replaceParameters } from '../../address.ts'
import { packBytes, unpackBytes } from '../../packed-bytes.ts'
import { EXAMPLES } from './examples.ts'
import { isClientProtocol } from './protocols.ts'

/** A request as the user edits it. */
export interface DraftRequest {
  readonly client: string
  /** The model of a protocol that has it in the path; empty for others. */
  readonly model: string
  readonly text: string
  /** An earlier request of the same client; empty for none. */
  readonly previous: string
}

/** Characters of an address that all browsers accept, and the longest body in one. */
const LONGEST_ADDRESS = 32_768
const LONGEST_BODY = 8 * 1024 * 1024
/** Milliseconds without a change before the address changes: browsers limit how often it may. */
const PAUSE = 500

const [first] = EXAMPLES
const FIRST: DraftRequest = {
  client: first?.client ?? 'openai',
  model: '',
  text: JSON.stringify(first?.body ?? {}, null, 2),
  previous: '',
}

/**
 * The edited request, which the address contains as long as it is short enough: a link shows the same request. Null
 * until it is read.
 */
export function useSavedRequest(): [DraftRequest | null, (request: DraftRequest) => void] {
  const [request, setRequest] = useState<DraftRequest | null>(null)
  useEffect(() => {
    readAddress(location.hash).then(setRequest)
  }, [])
  useEffect(() => {
    if (request === null) return
    const timer = setTimeout(async () => {
      const body = await packBytes(new TextEncoder().encode(request.text))
      const isShort = body.length <= LONGEST_ADDRESS
      // The user may have left the view meanwhile.
      if (parseAddress(location.hash).view !== 'explain') return
      const { client, model } = request
      const parameters = { client, ...(model === '' ? {} : { model }), ...(isShort ? { body } : {}) }
      replaceParameters('explain', new URLSearchParams(parameters))
    }, PAUSE)
    return () => clearTimeout(timer)
  }, [request])
  return [request, setRequest]
}

async function readAddress(hash: string): Promise<DraftRequest> {
  const { parameters } = parseAddress(hash)
  const [client, body] = [parameters.get('client'), parameters.get('body')]
  const text = body === null ? null : await unpackText(body)
  if (client === null || text === null || !isClientProtocol(client)) return FIRST
  return { client, model: parameters.get('model') ?? '', text, previous: '' }
}

/** Returns the text of a parameter; null if it is damaged or too long. */
async function unpackText(packed: string): Promise<string | null> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await unpackBytes(packed, LONGEST_BODY))
  } catch {
    return null
  }
}
