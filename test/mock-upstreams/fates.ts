import type { Fate } from '../arbitraries/socket-messages.ts'
import {
  type Behaviour,
  doneFrame,
  inPieces,
  nextTurn,
  roleChunk,
  stopChunk,
  streamOf,
  textChunk,
  usageChunk,
  withBody,
} from './server.ts'

/** An upstream of the protocol of chat completions whose answers the requests choose. */
export interface FatedUpstream {
  /** The fate is the last one that the conversation names (`fate:stall`). */
  readonly behave: Behaviour
  /** Ends the answers that wait for it. */
  release(): void
}

/** `healthy`: answers every request, whichever fate it names, from then on. */
export function createFates(isHealthy = (): boolean => false): FatedUpstream {
  const held = new Set<() => void>()
  const half: Behaviour = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(roleChunk + textChunk('Half'))
  }
  const behaviours: Readonly<Record<Fate, Behaviour>> = {
    answer: inPieces(streamOf('Seven', ' degrees 🌨'), 40),
    pause: inPieces(streamOf(...Array.from({ length: 60 }, (_, i) => `word ${i} `)), 300),
    refuse: withBody('{"error":{"message":"No."}}', 400),
    break: async (response, request) => {
      await half(response, request)
      await nextTurn()
      response.destroy()
    },
    stall: async (response, request) => {
      await half(response, request)
      held.add(() => response.end(stopChunk + usageChunk + doneFrame))
    },
    overload: withBody('{"error":{"message":"Later."}}', 503),
    silence: (response) => void held.add(() => response.destroy()),
  }
  return {
    behave(response, request) {
      const named = [...JSON.stringify(request.body).matchAll(/fate:(\w+)/g)].at(-1)?.[1] ?? 'answer'
      return behaviours[isHealthy() ? 'answer' : (named as Fate)](response, request)
    },
    release() {
      for (const release of held) release()
      held.clear()
    },
  }
}
