import { render } from 'preact'
import { createKeyStore, takeKeyFromAddress } from './key-store.ts'
import './page.css'
import { createPageServer } from './server.ts'
import { Shell } from './shell.tsx'

const keys = createKeyStore(takeKeyFromAddress(location, history))
const root = document.getElementById('page')
if (root !== null) render(<Shell server={createPageServer(keys)} keys={keys} />, root)
