#ifndef SPOOL_ICC_ACCOUNT_H
#define SPOOL_ICC_ACCOUNT_H

#include <lcms2.h>

#include "icc.h"

/*
 * Creates an lcms context that charges its memory and messages to the thread's current account. An account cannot be
 * attached to the context: lcms allocates the context itself before it could know the account.
 */
cmsContext spool_icc_context(void);

/* Sets the thread's current account. It must be NULL again after the calls of lcms. */
void spool_icc_charge(spool_icc_account *account);

/* Frees the remaining blocks of the thread's account: lcms loses blocks when an allocation fails. */
void spool_icc_settle(void);

#endif
