import DefaultTheme from 'vitepress/theme-without-fonts'
import { LossSearch } from './loss-search.mjs'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('LossSearch', LossSearch)
  },
}
