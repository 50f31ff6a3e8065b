import { useRoute } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { defineComponent, h, nextTick, onMounted, watch } from 'vue'
import { LossSearch } from './loss-search.mjs'
import './style.css'

/** The start has no landmark of its own for its content. */
const Layout = defineComponent(() => {
  const route = useRoute()
  const mark = () => document.querySelector('.VPContent.is-home')?.setAttribute('role', 'main')
  onMounted(mark)
  watch(
    () => route.path,
    () => nextTick(mark),
  )
  return () => h(DefaultTheme.Layout)
})

export default {
  extends: DefaultTheme,
  Layout,
  enhanceApp({ app }) {
    app.component('LossSearch', LossSearch)
  },
}
