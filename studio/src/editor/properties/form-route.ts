import { createContext, useContext } from 'react'

/** The route that a form belongs to. */
export interface FormRoute {
  readonly text: string
  readonly router: string
  /** Null for a route that is not deployed yet. */
  readonly deployedId: string | null
}

const Context = createContext<FormRoute>({ text: '', router: '_router', deployedId: null })

export const FormRouteProvider = Context.Provider

export function useFormRoute(): FormRoute {
  return useContext(Context)
}
