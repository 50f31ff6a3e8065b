import { lstatSync, rmSync } from 'node:fs'
import { connect } from 'node:net'

/**
 * Removes the socket of a server that has ended without removing it. Rejects with an Error if a program listens on the
 * socket, or the path is not a socket.
 */
export async function removeStaleSocket(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isSocket()) throw new Error(`listen.path: ${path} is not a socket. Choose another path`)
  if (await isInUse(path)) throw new Error(`listen.path: another program listens on ${path}. Stop it first`)
  rmSync(path, { force: true })
}

/** Only a refused connection shows that nobody listens: a full queue or a missing permission does not. */
const isInUse = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    )
  })
