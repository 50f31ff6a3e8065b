import { render } from 'preact'
import { createKeyStore, takeKeyFromAddress } from './key-store.ts'
import './page.css'
import { createPageServer } from './server.ts'
import { Shell } from './shell.tsx'

const keys = createKeyStore(takeKeyFromAddress(location, history))
// A link with a key that is opened in a tab which shows the page already changes the address only. This listener is
// the first one, so that no other reads the key.
addEventListener('hashchange', () => {
  const key = takeKeyFromAddress(location, history)
  if (key !== null) keys.set(key)
})
const root = document.getElementById('page')
if (root !== null) render(<Shell server={createPageServer(keys)} keys={keys} />, root)
