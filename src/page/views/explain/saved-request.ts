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

interface SavedRequest {
  /** Null until it is read. */
  readonly request: DraftRequest | null
  /** The address had a request that cannot be read, and the user has not changed the one in its place. */
  readonly isDamaged: boolean
  readonly change: (request: DraftRequest) => void
}

/** The edited request, which the address contains as long as it is short enough: a link shows the same request. */
export function useSavedRequest(): SavedRequest {
  const [request, setRequest] = useState<DraftRequest | null>(null)
  const [isDamaged, setDamaged] = useState(false)
  useEffect(() => {
    readAddress(location.hash).then((found) => {
      setRequest(found ?? FIRST)
      setDamaged(found === null)
    })
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
  const change = (changed: DraftRequest): void => {
    setDamaged(false)
    setRequest(changed)
  }
  return { request, isDamaged, change }
}

/** Returns null if the address has a request that cannot be read. */
async function readAddress(hash: string): Promise<DraftRequest | null> {
  const { parameters } = parseAddress(hash)
  const [client, body] = [parameters.get('client'), parameters.get('body')]
  if (body === null) return FIRST
  const text = await unpackText(body)
  if (client === null || text === null || !isClientProtocol(client)) return null
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
