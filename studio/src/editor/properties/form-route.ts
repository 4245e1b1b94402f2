import { createContext, useContext } from 'react'
import type { InheritedObject } from '../../api/scope.ts'
import { FIRST_SAMPLE, type SampleRequest } from '../../api/try-it.ts'
import type { ExpressionRoute } from '../expressions/expression-route.ts'

/** The route that a form belongs to. */
export interface FormRoute extends ExpressionRoute {
  readonly inherited: readonly InheritedObject[]
  readonly setSample: (sample: SampleRequest) => void
}

const Context = createContext<FormRoute>({
  text: '',
  router: '_router',
  deployedId: null,
  inherited: [],
  sample: FIRST_SAMPLE,
  setSample: () => {},
})

export const FormRouteProvider = Context.Provider

export function useFormRoute(): FormRoute {
  return useContext(Context)
}
