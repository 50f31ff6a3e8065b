import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'

const base = process.env.SITE_BASE ?? '/'
const sideBar = JSON.parse(readFileSync(new URL('../staged/side-bar.json', import.meta.url), 'utf8'))

/** The anchor that GitHub generates for a heading, which the links of the pages name. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

export default defineConfig({
  base,
  srcDir: 'staged',
  title: 'millrace',
  description: "Turns any LLM vendor's stream into the Responses API, and back.",
  head: [['link', { rel: 'icon', href: `${base}icon.svg`, type: 'image/svg+xml' }]],
  // The page that is added after the build.
  ignoreDeadLinks: [/^\/try\//],
  metaChunk: true,
  markdown: {
    html: false,
    anchor: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(md) {
      const fence = md.renderer.rules.fence
      md.renderer.rules.fence = (tokens, at, ...rest) =>
        tokens[at].info === 'loss-search' ? '<LossSearch />\n' : fence(tokens, at, ...rest)
      // A head without words is no head for readers that cannot see the table.
      const cellOf = (title) => (title.content === '' ? 'td' : 'th')
      md.renderer.rules.th_open = (tokens, at) => `<${cellOf(tokens[at + 1])}>`
      md.renderer.rules.th_close = (tokens, at) => `</${cellOf(tokens[at - 1])}>\n`
      // A wide table scrolls, which the keyboard needs the focus for.
      md.renderer.rules.table_open = () => '<table tabindex="0">\n'
    },
  },
  themeConfig: {
    logo: '/icon.svg',
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Losses', link: '/losses' },
      { text: 'Try it', link: '/try/index.html', target: '_self' },
    ],
    sidebar: sideBar,
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: 'https://github.com/millrace/millrace' }],
  },
})
