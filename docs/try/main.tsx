import './without-eval.ts'
import { render } from 'preact'
import '../../src/page/page.css'
import { Shell } from '../../src/page/shell.tsx'
import { createInPageServer } from './in-page-server.ts'

const root = document.getElementById('page')
if (root !== null)
  render(
    <Shell server={createInPageServer()} keys={null}>
      <p class="notice">
        Everything on this page runs in your browser: the engine, and the gateway, whose upstreams are recordings.
        Nothing is sent. <a href="../index.html">Documentation</a>
      </p>
    </Shell>,
    root,
  )
