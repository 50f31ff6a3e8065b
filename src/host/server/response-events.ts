import type { ServerResponse } from 'node:http'

export interface ResponseOwner {
  onClose(): void
  onDrain(): void
  /** Nothing was written or read for the time of `setTimeout`. */
  onTimeout(): void
}

const OWNER = Symbol('owner')

type OwnedResponse = ServerResponse & { [OWNER]: ResponseOwner }

/** All responses share their listeners, because each function of its own would be two more objects of every stream. */
export function own(response: ServerResponse, owner: ResponseOwner): void {
  Object.assign(response, { [OWNER]: owner })
  response.on('close', onClose)
  response.on('drain', onDrain)
  // A write after the connection broke emits an error on the response; `close` covers that case already.
  response.on('error', ignore)
}

/** Reports to the owner if nothing is written or read for `ms` milliseconds. */
export function watchTime(response: ServerResponse, ms: number): void {
  response.setTimeout(ms, onTimeout as () => void)
}

function onClose(this: ServerResponse): void {
  ;(this as OwnedResponse)[OWNER].onClose()
}

function onDrain(this: ServerResponse): void {
  ;(this as OwnedResponse)[OWNER].onDrain()
}

function onTimeout(this: ServerResponse): void {
  ;(this as OwnedResponse)[OWNER].onTimeout()
}

const ignore = (): void => undefined
